import { SessionStore } from '@synapse/brain';
import type { Hands } from '@synapse/hands';
import { count, defaultStateFolder } from '@synapse/hands/internal';
import { ERROR_CODES, toSynapseError, type ErrorCode } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { canAsk, confirm } from '../output/confirm.ts';
import { tellError } from '../output/report-error.ts';
import { appliedCode } from '../output/tell-applied.ts';
import type { Attempt, AttemptWork } from './attempt.ts';
import type { Outcome } from './attempt-report.ts';
import { chooseAttempt } from './choose-attempt.ts';
import { hasChanges, isGreen } from './rank-attempts.ts';

/** Whether an attempt may still be applied or continued. */
const CONTINUES: Record<AttemptWork['status'], boolean> = {
  done: false,
  loop: false,
  refused: false,
  failed: false,
  limit: true,
  paused: true,
  cancelled: true,
  killed: true,
};
const isWorthKeeping = (attempt: Attempt): boolean => hasChanges(attempt) || (CONTINUES[attempt.status] && attempt.session !== undefined);

interface SettlingOptions {
  readonly yes?: boolean | undefined;
  readonly json: boolean;
  readonly jsonl: boolean;
  readonly check: string | undefined;
}

interface Settled extends Outcome {
  readonly code: number;
}

/** Applies an attempt that a person chooses, or with `--yes` the best one that passed the check, and keeps or deletes the others. */
export async function settleAttempts(ranked: readonly Attempt[], hands: Hands, options: SettlingOptions, io: CommandIo): Promise<Settled> {
  const { err, signal } = io;
  const choices = ranked.filter(hasChanges);
  const mayAsk = !options.json && !options.jsonl && canAsk(io);
  const chosen = signal.aborted ? undefined : await choose(choices, options, mayAsk, io);
  if (chosen === undefined) {
    const code = signal.aborted ? ERROR_CODES.cancelled.exitCode : tellNotApplied(ranked, choices, options, mayAsk, io);
    return { applied: undefined, code, ...(await keepSome(ranked, isWorthKeeping, hands, io)) };
  }
  const result = await hands.applyBranch(chosen.branch, { signal });
  const applied = { branch: chosen.branch, result };
  // As of `synapse branch apply`: a script must not go on from what was applied without its conflicts.
  const code = appliedCode(result);
  if (!result.ok) {
    tellError(err, result.error);
    return { applied, code, ...(await keepSome(ranked, isWorthKeeping, hands, io)) };
  }
  err.write(`${result.output}\nTo take this back: synapse undo ${result.meta.callId}\n`);
  const hasLeft = result.data.conflicts.length + result.data.left > 0;
  if (!hasLeft && chosen.session !== undefined) {
    using store = SessionStore.open(defaultStateFolder());
    store.leaveBranch(chosen.session);
  }
  const others = ranked.filter((attempt) => attempt !== chosen && isWorthKeeping(attempt));
  // Of what is not applied as a whole, another attempt may still be.
  const keepsOthers = others.length > 0 && (hasLeft || !(await dropsOthers(others, options, mayAsk, io)));
  const isKept = (attempt: Attempt): boolean => (attempt === chosen ? hasLeft : keepsOthers && isWorthKeeping(attempt));
  const isRefused = hasLeft && result.data.applied === 0;
  return { applied, code: isRefused ? ERROR_CODES.conflict.exitCode : code, ...(await keepSome(ranked, isKept, hands, io, chosen)) };
}

async function choose(choices: readonly Attempt[], { yes }: SettlingOptions, mayAsk: boolean, io: CommandIo): Promise<Attempt | undefined> {
  const [best] = choices;
  if (best === undefined) return undefined;
  if (yes === true && isGreen(best)) return best;
  return mayAsk ? await chooseAttempt(choices, io) : undefined;
}

async function dropsOthers(others: readonly Attempt[], { yes }: SettlingOptions, mayAsk: boolean, io: CommandIo): Promise<boolean> {
  if (yes === true) return true;
  return mayAsk && (await confirm(`Delete the other ${count(others.length, 'attempt')}?`, io)) === true;
}

/** Says why nothing was applied, and returns the exit code. */
function tellNotApplied(
  ranked: readonly Attempt[],
  choices: readonly Attempt[],
  { check, yes }: SettlingOptions,
  mayAsk: boolean,
  { err, signal }: CommandIo,
): number {
  const [best] = choices;
  const tell = (code: ErrorCode, message: string, hint?: string): number => {
    tellError(err, { code, message, retryable: false, ...(hint === undefined ? {} : { hint }) });
    return ERROR_CODES[code].exitCode;
  };
  if (signal.aborted) return ERROR_CODES.cancelled.exitCode;
  if (best === undefined) {
    err.write('No attempt changed anything.\n', 'dim');
    return ranked.some(({ status }) => status === 'done') ? 0 : ERROR_CODES.tool_failed.exitCode;
  }
  if (mayAsk) return tell('denied', 'You said no, and nothing was applied.');
  if (check !== undefined && !isGreen(best)) return tell('tool_failed', 'No attempt passed the check, and nothing was applied.');
  const hint = `Apply the best one: synapse branch apply ${best.branch}`;
  if (yes === true) return tell('approval_required', 'Without --check, --yes applies no attempt.', hint);
  return tell('approval_required', 'This needs a yes, and nothing was applied.', hint);
}

/** Deletes the branches that are not kept, and names the others. */
async function keepSome(
  ranked: readonly Attempt[],
  isKept: (attempt: Attempt) => boolean,
  hands: Hands,
  { err }: CommandIo,
  applied?: Attempt,
): Promise<Pick<Outcome, 'kept' | 'dropped'>> {
  const kept = ranked.filter(isKept);
  const dropped: string[] = [];
  const lost: string[] = [];
  for (const attempt of ranked) {
    if (isKept(attempt)) continue;
    try {
      await hands.dropBranch(attempt.branch);
      dropped.push(attempt.branch);
      if (hasChanges(attempt) && attempt !== applied) lost.push(attempt.branch);
    } catch (error) {
      // Such as a detached job that still runs in it.
      err.write(`${toSynapseError(error).message}\n`, 'yellow');
      kept.push(attempt);
    }
  }
  if (lost.length > 0) err.write(`Deleted: ${lost.join(', ')}\n`, 'dim');
  if (kept.length > 0) {
    err.write('\nKept. To apply one, or to continue it:\n');
    for (const attempt of kept) err.write(`  ${nextSteps(attempt)}\n`);
  }
  return { kept: kept.map(({ branch }) => branch), dropped };
}

/** How a kept attempt is applied and continued. */
function nextSteps(attempt: Attempt): string {
  const { branch, session } = attempt;
  const applied = hasChanges(attempt) ? `synapse branch apply ${branch}` : branch;
  return session === undefined ? applied : `${applied} · synapse resume ${session}`;
}
