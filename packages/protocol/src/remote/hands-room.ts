import type { HandsState } from './hands-state.ts';

/** Maximum number of waiting calls without the protocol, and of the characters that they have together. Each may have a million. */
const MAX_PLAIN_CALLS = 100;
const MAX_PLAIN_LENGTH = 8_388_608;
/**
 * Maximum number of waiting and running calls of a device, per concurrent call that its grant allows. Twice what a relay lets through, which may
 * have lost its records: reached only if relay and device do not keep to it.
 */
const CALLS_PER_SLOT = 32;
/** The same for all calls, where no device is paired. */
const MAX_OPEN_CALLS = 2_000;

const FULL =
  `Error: Too many calls wait: ${MAX_PLAIN_CALLS}, or ${MAX_PLAIN_LENGTH / 1_048_576} MB of them. ` +
  'This one did not run. Send it again after a result.';

/** Returns the reason that a call without the protocol has no room; undefined if it has. Its brain gets no credit, so nothing else limits it. */
export function plainCallRefusal({ live }: HandsState, length: number): string | undefined {
  const waiting = [...live].filter(([id, { phase }]) => phase === 'queued' && id.startsWith('base:'));
  const sum = waiting.reduce((total, [, one]) => total + one.length, length);
  return waiting.length >= MAX_PLAIN_CALLS || sum > MAX_PLAIN_LENGTH ? FULL : undefined;
}

/** Whether a device has room for another call. A call that has none is kept by its brain, and sent again later. */
export function hasRoomFor({ live, grants }: HandsState, from: string | undefined): boolean {
  if (grants === undefined) return live.size < MAX_OPEN_CALLS;
  const most = (grants.get(from ?? '')?.maxRunning ?? 0) * CALLS_PER_SLOT;
  return [...live.values()].filter(({ owner }) => owner === from).length < most;
}
