import { accessSync, constants } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { StepPowers } from '../journal/apply-step.ts';
import { bytesAfter } from '../journal/step-text.ts';
import { type ChangeJournal, Capture, type JournalLimits, type TooLargeToUndo } from '../workspace/changes/capture.ts';
import { checkBeforehand } from '../journal/journal.ts';
import { changesSomething, placesOf, type Step } from '../workspace/changes/step.ts';
import type { InodeMap } from '../journal/inode-map.ts';
import type { ProcessOutcome, ProcessRequest, Processes } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { fileError } from '../workspace/file-error.ts';
import { resolveTarget } from '../workspace/target.ts';
import { NO_EFFECT, type Effect } from './effect.ts';
import type { ShownEffect } from './show-effect.ts';
import { DryRunContents } from './dry-run-contents.ts';

/** The dependencies of a dry run. */
export interface DryRunParts {
  readonly confinement: Confinement;
  /** Returns contents that the journal keeps, for a dry run of an undo. */
  readonly kept: (sum: string) => Buffer | undefined;
  /** Maps old inodes to current ones. */
  readonly inodeMap: Pick<InodeMap, 'isSame' | 'isPutBack' | 'foundAt'>;
  /** The folder where transactions keep exchanged entries. */
  readonly areas: string;
  readonly limits: JournalLimits;
  /** Whether contents are only measured. Default: false; they are read. */
  readonly measure?: boolean;
  readonly runOnCopy: (request: ProcessRequest, powers: () => StepPowers) => Promise<TriedCommand>;
}

/** Changes that were made in a copy of the workspace. */
export interface TriedChanges {
  /** Identifies exactly these changes. */
  readonly fingerprint: string;
  show(signal: AbortSignal): Promise<ShownEffect>;
}

/** A command that ran on a copy of the workspace. Disposing it drops its changes there. */
export interface TriedCommand extends TriedChanges, AsyncDisposable {
  readonly outcome: ProcessOutcome;
  readonly isUnchanged: boolean;
  /** Why the changes cannot be applied; undefined if they can. */
  readonly blocked: string | undefined;
  readonly irreversible: readonly TooLargeToUndo[];
  /** Applies the changes to the workspace, all or nothing. Returns true, or why they cannot be undone. */
  apply(workspace: Workspace): Promise<true | string>;
}

/**
 * Replaces the journal and the processes of a call, so that its tool runs unchanged, and its changes are
 * collected instead of applied. Dispose it after its contents are read.
 */
export interface DryRunSession extends AsyncDisposable {
  readonly journal: ChangeJournal;
  readonly processes: Processes;
  powers(): StepPowers;
  /** Returns the command that it ran, if the command changed something. */
  command(): TriedCommand | undefined;
  /** Takes the changes that the calls of a program made in a branch. */
  take(changes: TriedChanges): void;
  /** Returns the changes of its command, or of its program; undefined if it has neither. */
  tried(): TriedChanges | undefined;
  /** Returns what the call would have changed so far. */
  effect(): Effect;
}

/** A dry run changes nothing, so it needs no locks. */
export const NO_LOCKS = { hold: <T>(_keys: Iterable<string>, _signal: AbortSignal, work: () => Promise<T>): Promise<T> => work() };

/** Opens a dry run. */
export function openDryRun(parts: DryRunParts): DryRunSession {
  const { confinement, limits } = parts;
  const contents = new DryRunContents(parts.kept);
  const powers = (): StepPowers => ({
    confinement,
    blobs: contents,
    capture: new Capture(parts.measure === true ? undefined : contents, limits),
    inodeMap: { ...parts.inodeMap, follow: () => {}, putBack: () => {}, moved: () => {} },
    areas: parts.areas,
    othersSince: () => true,
  });
  const copies = new AsyncDisposableStack();
  const touched = new Set<string>();
  let effect = NO_EFFECT;
  let command: TriedCommand | undefined;
  let ofProgram: TriedChanges | undefined;

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
  /** Rejects a second change of the same place: the disk is unchanged, so a second look would find outdated content. */
  const assertFirst = (steps: readonly Step[]): void => {
    if (command !== undefined && steps.length > 0) throw tooFar('it would change something after a command did');
    for (const place of steps.flatMap(placesOf).map(displayPath)) {
      const again = [...touched].find((one) => one === place || one.startsWith(`${place}/`) || place.startsWith(`${one}/`));
      if (again !== undefined) throw tooFar(`it would change ${again} twice`);
    }
  };
  return {
    journal: {
      // The real call completes what a killed process left half done; a dry run does not.
      ready: () => Promise.resolve(),
      stage: (steps) => Promise.resolve({ steps, settle: () => Promise.resolve() }),
      record(plan) {
        const { capture, ...rest } = powers();
        const steps = plan(capture).filter(changesSomething);
        assertFirst(steps);
        for (const step of steps) assertWritable(rest.confinement, step);
        take({ ...NO_EFFECT, steps, tooLarge: capture.tooLarge });
      },
      apply(steps) {
        assertFirst(steps);
        // Whether something changed since shows in contents only, so these are read in any case.
        checkBeforehand({ ...powers(), capture: new Capture(contents, limits) }, steps);
        take({ ...NO_EFFECT, steps });
      },
      bytesAfter: (step, maxBytes) => bytesAfter(powers(), step, maxBytes),
    },
    processes: {
      async run(request) {
        // The copy would not contain what the call did before.
        if (effect.steps.length > 0 || command !== undefined) throw tooFar('it would run a command after a change');
        const tried = copies.use(await parts.runOnCopy(request, powers));
        if (tried.isUnchanged && tried.blocked === undefined) return tried.outcome;
        command = tried;
        take({ ...NO_EFFECT, tooLarge: tried.irreversible, blocked: tried.blocked });
        return tried.outcome;
      },
    },
    powers,
    command: () => command,
    take(changes) {
      ofProgram = changes;
    },
    tried: () => ofProgram ?? command,
    effect: () => effect,
    [Symbol.asyncDispose]: () => copies[Symbol.asyncDispose](),
  };
}

function tooFar(why: string): SynapseError {
  return new SynapseError('unavailable', `A dry run cannot follow this call to its end: ${why}. Nothing was changed.`, {
    hint: 'Try its parts one by one.',
  });
}

/** Rejects changes that the file system would refuse, in folders that this user cannot write to. */
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
