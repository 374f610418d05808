import { openModel } from '@synapse/brain';
import type { Hands } from '@synapse/hands';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import type { RunOptions } from '../agent/agent-place.ts';
import { holdNamed } from '../branch/enter-branch.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import type { CommandIo } from '../command/command.ts';
import { openScreen } from '../agent/open-screen.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import type { Attempt, PlannedAttempt } from './attempt.ts';
import { attemptReport } from './attempt-report.ts';
import { showProgress } from './attempt-progress.ts';
import { attemptTable, totals } from './attempt-table.ts';
import { tellDiff } from './choose-attempt.ts';
import { makeAttempt } from './make-attempt.ts';
import { planAttempts } from './plan-attempts.ts';
import { hasChanges, rankAttempts } from './rank-attempts.ts';
import { settleAttempts } from './settle-attempts.ts';

/** The options of attempts, beside those of a run. */
export interface AttemptsOptions extends RunOptions {
  readonly attempts: number | undefined;
  readonly models: readonly string[];
  readonly check: string | undefined;
}

/**
 * Makes several attempts at one task beside each other, each in a branch of its own and in a process of its own, and applies at most one.
 *
 * @returns the exit code
 * @throws SynapseError `invalid_arguments` for options that do not go together; with the reason why a model cannot be used
 */
export async function runAttempts(options: AttemptsOptions, io: CommandIo): Promise<number> {
  const { out, err, signal } = io;
  assertPossible(options);
  const id = randomBytes(3).toString('hex');
  const plans = planAttempts({ attempts: options.attempts, models: options.models, model: options.model }, id);
  // Each attempt would fail for the same reason.
  for (const model of new Set(plans.map((planned) => planned.model))) await openModel(model, { baseUrl: options.baseUrl });
  const { workspace, check, json, jsonl } = options;
  await using hands = await openHands({ workspace }, io);
  await createBranches(plans, hands, signal);
  const progress = showProgress({ json, jsonl, number: plans.length }, io);
  const parts = { id, hands, check, progress, signal };
  const ranked = rankAttempts(await Promise.all(plans.map((planned) => makeAttempt(planned, parts))));
  if (!json && !jsonl) await tellAttempts(ranked, io);
  const { code, ...outcome } = await settleAttempts(ranked, hands, options, io);
  const report = attemptReport(ranked, check, outcome);
  if (json) printJson(out, report);
  if (jsonl) out.write(`${JSON.stringify({ type: 'attempts', ...report })}\n`);
  err.show('');
  return signal.aborted ? ERROR_CODES.cancelled.exitCode : code;
}

/** Creates all branches, or none: also where branches cannot be mounted. */
async function createBranches(plans: readonly PlannedAttempt[], hands: Hands, signal: AbortSignal): Promise<void> {
  const made: string[] = [];
  try {
    for (const { branch } of plans) made.push((await hands.createBranch(branch, { signal })).name);
    using _ = await holdNamed(made[0] ?? '', hands.workspace, signal);
  } catch (error) {
    for (const branch of made) await hands.dropBranch(branch);
    throw error;
  }
}

function assertPossible({ remote, branch, maxCost, price }: AttemptsOptions): void {
  if (remote !== undefined)
    throw new SynapseError('invalid_arguments', '--attempts and --remote exclude each other.', { hint: 'Attempts work on this machine.' });
  if (branch !== undefined || currentBranch() !== undefined)
    throw new SynapseError('invalid_arguments', 'Attempts cannot be made in a branch.', { hint: 'Each of them works in a branch of the workspace.' });
  if (maxCost !== undefined && price === undefined)
    throw new SynapseError('invalid_arguments', 'No price for --max-cost.', {
      hint: 'Pass --price with US dollars per million tokens of input and output, such as --price 1.25,10.',
    });
}

/** Shows what the best attempt says and changed, unless they were interrupted, and all of them as a table. */
async function tellAttempts(ranked: readonly Attempt[], io: CommandIo): Promise<void> {
  const { err, signal } = io;
  err.show('');
  const best = signal.aborted ? undefined : ranked[0];
  const text = best?.text.trimEnd() ?? '';
  if (text !== '') await tellText(text, io);
  if (best !== undefined && hasChanges(best)) tellDiff(io, best);
  err.write(`\n${attemptTable(ranked, err.isTerminal ? err.columns : undefined)}`);
  err.write(`${totals(ranked)}\n`, 'dim');
}

/** Prints what a model says: Markdown, which a terminal shows rendered. */
async function tellText(text: string, io: CommandIo): Promise<void> {
  const screen = await openScreen(io);
  if (screen === undefined) return io.out.write(`${text}\n`);
  screen.say(text);
  screen.stop();
}
