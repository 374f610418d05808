import { callFacts, countReplay, isFaithful, replayCalls, TodoList, type RecordedCall, type ReplayedCall } from '@synapse/brain';
import type { Branch, Hands } from '@synapse/hands';
import { branchCalls, BranchStore, defaultStateFolder, knownId, redactor, secretValues } from '@synapse/hands/internal';
import { ERROR_CODES } from '@synapse/protocol';
import { dialectOf } from '../agent/agent-place.ts';
import type { CommandIo } from '../command/command.ts';
import { printJson } from '../output/print-json.ts';
import type { Recording } from './recording.ts';
import type { StartBranch } from './start-branch.ts';
import { replaySummary, tellReplayedCall } from './tell-replay.ts';

/** How a session is replayed. */
export interface ReplayRun {
  readonly until: string | undefined;
  readonly yes: boolean;
  readonly keep: boolean;
  readonly json: boolean;
}

/** The calls up to one, that one included. The id of the session may be left out. */
export function callsUntil({ calls, session }: Recording, until: string | undefined): readonly RecordedCall[] {
  if (until === undefined) return calls;
  const whole = knownId(
    /^\d+:/u.test(until) ? `${session.id}:${until}` : until,
    calls.map(({ id }) => id),
    { what: 'call', list: 'synapse log --session lists the calls of a session.' },
  );
  return calls.slice(0, calls.findIndex(({ id }) => id === whole) + 1);
}

/** Runs the calls of a session again in a branch, and tells how the answers differ. Returns the exit code. */
export async function runReplay(recording: Recording, start: StartBranch, hands: Hands, run: ReplayRun, io: CommandIo): Promise<number> {
  const { out, err, signal } = io;
  const calls = callsUntil(recording, run.until);
  const replayed = await inBranch(start.name, hands, run.keep, async (branch) => await replayIn(branch, recording, calls, run, io));
  const counts = countReplay(replayed);
  const { at, notes, name } = start;
  if (run.json) printJson(out, { session: recording.session.id, branch: run.keep ? name : null, at, notes, ...counts, replayed });
  else out.write(`${replaySummary(counts)}\n`, 'bold');
  if (run.keep) err.write(`The branch stays: synapse branch diff ${name}\n`, 'dim');
  if (signal.aborted) return ERROR_CODES.cancelled.exitCode;
  return isFaithful(replayed) ? 0 : 1;
}

/** Works in a branch, and deletes it also if that fails. */
async function inBranch<Result>(name: string, hands: Hands, keep: boolean, work: (branch: Branch) => Promise<Result>): Promise<Result> {
  await using branch = await hands.branch(name, { create: false });
  try {
    return await work(branch);
  } finally {
    if (!keep) await branch.drop();
  }
}

async function replayIn(
  branch: Branch,
  { session, ran, facts, answers }: Recording,
  calls: readonly RecordedCall[],
  { yes, json }: ReplayRun,
  { out, signal }: CommandIo,
): Promise<ReplayedCall[]> {
  const stateFolder = defaultStateFolder();
  const dialect = dialectOf(session);
  const stored = new BranchStore(stateFolder, branch.workspace).get(branch.name);
  const tools = dialect === undefined ? branch : branch.dialect(dialect);
  return await replayCalls({
    // The list of steps is kept by the loop, and touches nothing.
    hands: new TodoList().among(tools, dialect),
    calls,
    ran,
    answers,
    factsOf: (call) => facts.get(call),
    factsOfReplayed(call) {
      const [made] = branchCalls(stateFolder, stored, { call, limit: 1 });
      return made === undefined ? undefined : callFacts(made);
    },
    roots: { recorded: session.importedFrom ?? session.workspace, here: branch.workspace },
    // From the text of a file, secrets were removed.
    ...(session.importedFrom === undefined ? {} : { redact: redactor(secretValues(process.env)) }),
    sessionId: branch.name,
    answersAll: yes,
    signal,
    onCall: (replayed) => {
      if (!json) tellReplayedCall(out, replayed);
    },
  });
}
