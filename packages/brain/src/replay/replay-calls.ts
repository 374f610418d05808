import type { Approver } from '@synapse/hands';
import type { ToolCaller } from '@synapse/hands/providers';
import { agentTools } from '../agent/agent-tools.ts';
import type { RecordedCall } from '../sessions/recorded-calls.ts';
import { answerText } from './answer-text.ts';
import type { CallFacts } from '../sessions/call-facts.ts';
import { compareAnswers, type Answered, type Difference } from './compare-answers.ts';
import { compareSummaries } from './compare-summaries.ts';
import { FollowedIds, mapTexts } from './followed-ids.ts';

/** Why a call was not run again. */
export type SkipReason = 'not run' | 'no answer' | 'refused' | 'no such tool' | 'arguments' | 'needs approval';

/** A call of a replay. */
export interface ReplayedCall {
  /** The id of the recorded call. */
  readonly call: string;
  readonly tool: string;
  /** One line about the call. */
  readonly summary: string;
  readonly effects: string | undefined;
  readonly state: 'same' | 'differs' | 'not replayed';
  readonly reasons: ReadonlyArray<Difference['reasons'][number] | SkipReason>;
  /** The first line that differs, of both. */
  readonly recorded?: string;
  readonly again?: string;
}

/** What is run again, and where. */
export interface ReplayOptions {
  /** The tools under the names of the recording, in the branch of the replay. */
  readonly hands: ToolCaller;
  readonly calls: readonly RecordedCall[];
  /** The calls that ran at the recording: others only have an answer that says why not. */
  readonly ran: ReadonlySet<string>;
  /** What the records know of a recorded call, and of one of the replay. */
  readonly factsOf: (call: string) => CallFacts | undefined;
  readonly factsOfReplayed: (call: string) => CallFacts | undefined;
  /** The workspace at the recording and now. */
  readonly roots: { readonly recorded: string; readonly here: string };
  /** The session under which the calls of the replay are recorded. */
  readonly sessionId: string;
  /** Whether questions about more than files are answered as they were. Default: they are not. */
  readonly answersAll: boolean;
  /** Whether the answers were recorded, or only a line about each call. Default: the answers. */
  readonly answers?: 'texts' | 'summaries';
  /** Removes secrets from the new answers, as they were removed from the recorded ones. Default: nothing was removed. */
  readonly redact?: (text: string) => string;
  readonly signal: AbortSignal;
  readonly onCall?: (replayed: ReplayedCall) => void;
}

/** What is in arguments for a secret, and for what a record leaves out. */
const LEFT_OUT = /\[redacted\]/u;

/** Codes of calls that did nothing because they were not allowed. */
const REFUSED: ReadonlySet<string | undefined> = new Set(['approval_required', 'denied']);

/** Answers the questions of a call as they were answered at the recording, so that the branch has what the session had. */
function asRecorded(facts: CallFacts | undefined, answersAll: boolean): Approver {
  // Of a command that changed nothing, the changes were held or dropped, if there were any.
  const wereApplied = facts?.changed !== false;
  return {
    name: 'the recorded session',
    async ask({ changed, onlyChanges }) {
      // What reaches more than the files of the branch is done again only if a person says so.
      const isMeant = changed === undefined ? onlyChanges === true || answersAll : wereApplied;
      return await Promise.resolve(facts?.ok !== false && isMeant ? { verdict: 'allow', scope: 'once' } : { verdict: 'later' });
    },
  };
}

/** Why a call is not run again; undefined if it is. */
function skipReason(call: RecordedCall, known: ReadonlySet<string>, facts: CallFacts | undefined, ran: ReadonlySet<string>): SkipReason | undefined {
  if (!ran.has(call.id)) return 'not run';
  if (call.output === undefined || facts?.code === 'cancelled') return 'no answer';
  if (facts?.ok === false && facts.code === 'approval_required') return 'refused';
  if (!known.has(call.tool)) return 'no such tool';
  return LEFT_OUT.test(JSON.stringify(call.input) ?? '') ? 'arguments' : undefined;
}

/** Runs recorded calls again, one after another, and compares the answers. */
export async function replayCalls(options: ReplayOptions): Promise<ReplayedCall[]> {
  const { hands, calls, ran, factsOf, roots, signal, onCall, redact = (text) => text } = options;
  const tools = agentTools(hands);
  const known = new Set(tools.definitions.map(({ name }) => name));
  const ids = new FollowedIds();
  const here = (text: string): string => (roots.recorded === roots.here ? text : text.replaceAll(roots.recorded, () => roots.here));
  const replayed: ReplayedCall[] = [];
  let hasDeparted = false;
  for (const [index, call] of calls.entries()) {
    if (signal.aborted) break;
    const facts = factsOf(call.id);
    const skipped = skipReason(call, known, facts, ran);
    const one =
      skipped === undefined && call.output !== undefined ? await runAgain(call, call.output, index) : skip(call, facts, skipped ?? 'no answer');
    hasDeparted ||= one.departs;
    replayed.push(one.replayed);
    onCall?.(one.replayed);
  }
  return replayed;

  async function runAgain(call: RecordedCall, output: NonNullable<RecordedCall['output']>, index: number): Promise<Outcome> {
    const input = JSON.stringify(mapTexts(call.input, (text) => ids.text(here(text)))) ?? '{}';
    const facts = factsOf(call.id);
    const recordedText = answerText(output);
    const isSummary = options.answers === 'summaries';
    const before: Answered = { ...recordedText, isError: isSummary ? hasFailed(facts) : recordedText.isError, facts };
    const callId = `${options.sessionId}:${index}`;
    const wanted = { id: String(index), name: call.tool, input };
    const approver = asRecorded(facts, options.answersAll);
    const { part, meta } = await tools.call(wanted, { callId, sessionId: options.sessionId, signal, approver });
    const answer = answerText(part.output);
    const summary = meta?.summary ?? call.tool;
    const nowFacts = options.factsOfReplayed(callId);
    const text = redact(isSummary ? summary : answer.text);
    const now: Answered = { text, isError: isSummary ? hasFailed(nowFacts) : answer.isError, facts: nowFacts };
    const refused = newRefusal(facts, nowFacts);
    if (refused !== undefined) return skip(call, facts, refused, summary);
    ids.learn(before.text, now.text);
    const expected = { ...before, text: ids.text(here(before.text)) };
    const compared = { input, hasDeparted };
    const difference = isSummary ? compareSummaries(expected, now, answer.text, compared) : compareAnswers(expected, now, compared);
    const about = { call: call.id, tool: call.tool, summary, effects: nowFacts?.effects ?? facts?.effects };
    if (difference === undefined) return { departs: false, replayed: { ...about, state: 'same', reasons: [] } };
    const { reasons, recorded, again } = difference;
    const departs = leavesOtherFiles(difference, facts, nowFacts, about.effects);
    return { departs, replayed: { ...about, state: 'differs', reasons, recorded, again } };
  }
}

const hasFailed = (facts: CallFacts | undefined): boolean => facts?.ok === false;

/** Why a call was not allowed that now asks for more than at the recording; undefined if it ran, or was not allowed then either. */
function newRefusal(before: CallFacts | undefined, now: CallFacts | undefined): SkipReason | undefined {
  if (!REFUSED.has(now?.code) || now?.code === before?.code) return undefined;
  return REFUSED.has(before?.code) ? 'refused' : 'needs approval';
}

/** Whether a call that ended otherwise left other files. Without a record of its changes, it may have left anything. */
function leavesOtherFiles(
  { leftOtherFiles, reasons }: Difference,
  before: CallFacts | undefined,
  now: CallFacts | undefined,
  effects: string | undefined,
): boolean {
  if (leftOtherFiles) return true;
  const isKnown = before?.changes !== undefined && now?.changes !== undefined;
  return !isKnown && effects !== 'read' && reasons.some((reason) => UNEXPLAINED.has(reason));
}

const UNEXPLAINED: ReadonlySet<string> = new Set(['files', 'earlier', 'unknown']);

interface Outcome {
  readonly replayed: ReplayedCall;
  /** Whether the files of the branch are not those of the session from then on. */
  readonly departs: boolean;
}

function skip({ id, tool, output }: RecordedCall, facts: CallFacts | undefined, reason: SkipReason, summary = tool): Outcome {
  // Without a record, a call that was interrupted may have changed anything.
  const departs = facts === undefined ? reason === 'no answer' && output === undefined : (facts.changes?.length ?? 1) > 0;
  return { departs, replayed: { call: id, tool, summary, effects: facts?.effects, state: 'not replayed', reasons: [reason] } };
}
