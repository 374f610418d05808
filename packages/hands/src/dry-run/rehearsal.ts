import { accessSync, constants } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { StepPowers } from '../journal/apply-step.ts';
import { Capture, type JournalLimits } from '../journal/capture.ts';
import { changesSomething, checkBeforehand } from '../journal/journal.ts';
import { placesOf, type Step } from '../journal/step.ts';
import type { Successors } from '../journal/successors.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { OverlayRun } from '../sandbox/overlay.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { ChangeJournal } from '../workspace/change-journal.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { fileError } from '../workspace/file-error.ts';
import { resolveTarget } from '../workspace/target.ts';
import { NO_EFFECT, type Effect } from './effect.ts';
import { overlayEffect } from './overlay-effect.ts';
import { RehearsedContents } from './rehearsed-contents.ts';

/** What a call is rehearsed with. */
export interface RehearsalParts {
  readonly confinement: Confinement;
  /** Gives what the journal keeps, for a dry run of an undo. */
  readonly kept: (sum: string) => Buffer | undefined;
  /** Tells which entry stands for which by now. */
  readonly successors: Pick<Successors, 'isSame' | 'isPutBack'>;
  /** Where transactions keep what they exchanged. */
  readonly areas: string;
  readonly guards: PlaceGuards;
  readonly limits: JournalLimits;
  readonly signal: AbortSignal;
  /** Whether contents are only measured. Default: they are read. */
  readonly measure?: boolean;
  readonly runOnCopy: (request: ProcessRequest) => Promise<OverlayRun>;
}

/**
 * Stands in for the journal and the processes of a call, so that its tool runs as it is and what it would change is
 * learned and not done. Dispose it when nobody will look at the contents any more.
 */
export interface Rehearsal extends AsyncDisposable {
  readonly journal: ChangeJournal;
  readonly processes: Processes;
  readonly powers: StepPowers;
  /** What the call would have changed up to now. */
  effect(): Effect;
}

/** Nothing is changed, so nobody has to wait for another. */
export const NO_LOCKS = { hold: <T>(_keys: Iterable<string>, _signal: AbortSignal, work: () => Promise<T>): Promise<T> => work() };

/** Opens a rehearsal. */
export function openRehearsal(parts: RehearsalParts): Rehearsal {
  const { confinement, guards, limits, signal } = parts;
  const contents = new RehearsedContents(parts.kept);
  const powers = (): StepPowers => ({
    confinement,
    blobs: contents,
    capture: new Capture(parts.measure === true ? undefined : contents, limits),
    successors: { ...parts.successors, follow: () => {}, putBack: () => {} },
    areas: parts.areas,
  });
  const copies = new AsyncDisposableStack();
  const touched = new Set<string>();
  let effect = NO_EFFECT;

  const take = (more: Effect): void => {
    for (const place of more.steps.flatMap(placesOf).map(displayPath)) touched.add(place);
    effect = {
      steps: [...effect.steps, ...more.steps],
      omitted: [...effect.omitted, ...more.omitted],
      cautions: [...effect.cautions, ...more.cautions],
      tooLarge: [...effect.tooLarge, ...more.tooLarge],
      blocked: effect.blocked ?? more.blocked,
    };
  };
  /** The disk is as it was: a second look at a place that the call changed would find what is not true any more. */
  const assertFirst = (steps: readonly Step[]): void => {
    for (const place of steps.flatMap(placesOf).map(displayPath)) {
      const again = [...touched].find((one) => one === place || one.startsWith(`${place}/`) || place.startsWith(`${one}/`));
      if (again !== undefined) throw tooFar(`it would change ${again} twice`);
    }
  };
  return {
    journal: {
      // What a killed process left half done is put right by the call itself, not by a look at it.
      ready: () => Promise.resolve(),
      record(plan) {
        const { capture, ...rest } = powers();
        const steps = plan(capture).filter(changesSomething);
        assertFirst(steps);
        for (const step of steps) assertWritable(rest.confinement, step);
        take({ ...NO_EFFECT, steps, tooLarge: capture.tooLarge });
      },
      apply(steps) {
        assertFirst(steps);
        checkBeforehand(powers(), steps);
        take({ ...NO_EFFECT, steps });
      },
    },
    processes: {
      async run(request) {
        // The copy would be one of the workspace without what the call did before.
        if (effect.steps.length > 0) throw tooFar('it would run a command after a change');
        const run = copies.use(await parts.runOnCopy(request));
        take(overlayEffect({ run, lower: confinement, guards, contents, limits, signal }));
        return run.outcome;
      },
    },
    get powers() {
      return powers();
    },
    effect: () => effect,
    [Symbol.asyncDispose]: () => copies[Symbol.asyncDispose](),
  };
}

function tooFar(why: string): SynapseError {
  return new SynapseError('unavailable', `A dry run cannot follow this call to its end: ${why}. Nothing was changed.`, {
    hint: 'Try its parts one by one.',
  });
}

/** The disk itself refuses changes in a folder that this user may not write. */
function assertWritable(confinement: Confinement, step: Step): void {
  for (const place of placesOf(step)) {
    using target = resolveTarget(confinement, place, { followLink: false });
    try {
      accessSync(target.ancestor.self, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw fileError(error, displayPath(place));
    }
  }
}
