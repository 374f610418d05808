import { BranchStore, countChanges, defaultStateFolder } from '@synapse/hands/internal';
import type { Hands, ShownEffect } from '@synapse/hands';
import { isSynapseError, toSynapseError } from '@synapse/protocol';
import type { Attempt, AttemptWork, CheckOutcome, PlannedAttempt } from './attempt.ts';
import type { AttemptProgress } from './attempt-progress.ts';
import { checkAttempt } from './check-attempt.ts';
import { workAttempt } from './work-attempt.ts';

/** What attempts share. */
export interface AttemptParts {
  /** The id of the run. */
  readonly id: string;
  readonly hands: Hands;
  readonly check: string | undefined;
  readonly progress: AttemptProgress;
  readonly signal: AbortSignal;
}

/** Makes an attempt: works on the task in its branch, checks that, and looks at what it changed. Never throws because of an attempt. */
export async function makeAttempt(planned: PlannedAttempt, parts: AttemptParts): Promise<Attempt> {
  const { signal, progress } = parts;
  const { work, check, changes } = await workAndCheck(planned, parts);
  const effect = signal.aborted ? undefined : await effectOf(planned, parts);
  // Empty folders in a repository of git are listed and not counted.
  const listed = effect === undefined ? 0 : effect.changes.length + effect.more;
  const attempt = { ...planned, ...work, check, changes: changes === 0 ? listed : changes, effect };
  progress.ended(attempt);
  return attempt;
}

interface Worked {
  readonly work: AttemptWork;
  readonly check: CheckOutcome | undefined;
  readonly changes: number;
}

async function workAndCheck(planned: PlannedAttempt, { id, hands, check: command, progress, signal }: AttemptParts): Promise<Worked> {
  const { branch } = planned;
  const root = hands.workspace;
  const { folder } = new BranchStore(defaultStateFolder(), root).get(branch);
  try {
    const work = await workAttempt(planned, { id, root, signal, watcher: progress });
    const changes = countChanges(folder);
    if (command === undefined || changes === 0 || signal.aborted) return { work, check: undefined, changes };
    progress.checks(planned);
    return { work, check: await checkAttempt(planned, { id, root, signal }), changes };
  } catch (error) {
    // Such as a branch that cannot be mounted, or an interruption before it was.
    const { message, hint } = toSynapseError(error);
    const ended = signal.aborted
      ? ({ status: 'cancelled', reason: 'Stopped.' } as const)
      : ({ status: 'failed', reason: hint === undefined ? message : `${message} ${hint}` } as const);
    const work = { session: undefined, text: '', calls: 0, tokens: 0, costUsd: 0, durationMs: 0, ...ended };
    return { work, check: undefined, changes: countChanges(folder) };
  }
}

async function effectOf({ branch }: PlannedAttempt, { hands, signal }: AttemptParts): Promise<ShownEffect | undefined> {
  try {
    return await hands.showBranch(branch, { signal });
  } catch (error) {
    // Interrupted, or changes that cannot be shown: the branch is kept, and says why.
    if (signal.aborted || isSynapseError(error)) return undefined;
    throw error;
  }
}
