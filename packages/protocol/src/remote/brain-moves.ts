import type { BrainEffect, BrainState, BrainStep, OpenCall } from './brain-state.ts';
import type { DataFrame } from './frames.ts';
import { sendFrame } from './link.ts';

/** A move of a brain: from a state to the next one, with its effects. */
export type Then = (state: BrainState) => BrainStep;

/** Makes moves after one another. */
export function chain(state: BrainState, ...steps: readonly Then[]): BrainStep {
  const effects: BrainEffect[] = [];
  let current = state;
  for (const next of steps) {
    const [made, more] = next(current);
    current = made;
    effects.push(...more);
  }
  return [current, effects];
}

export const emit =
  (...effects: readonly BrainEffect[]): Then =>
  (state) => [state, effects];

export const transmit =
  (frame: DataFrame): Then =>
  (state) => {
    const { link, effects } = sendFrame(state.link, frame);
    return [{ ...state, link }, effects];
  };

/** Sends a frame to the machine; sealed if paired. */
export const say =
  (frame: DataFrame): Then =>
  (state) =>
    state.machine === undefined ? transmit(frame)(state) : [state, [{ type: 'seal', to: state.machine, frame }]];

/** Stores a call; undefined forgets it. */
export const put =
  (id: string, call: OpenCall | undefined): Then =>
  (state) => {
    const calls = new Map(state.calls);
    if (call === undefined) calls.delete(id);
    else calls.set(id, call);
    return [{ ...state, calls }, []];
  };
