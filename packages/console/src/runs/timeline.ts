import type { AuditedCall, Defaults } from '@synapse/hands/internal';
import type { ConsoleTimeline, ConsoleTimelineCall } from '@synapse/protocol/console';
import { callRow } from '../calls/call-row.ts';

/** Maximum number of calls in one part, and of named changes of one call. */
const PART = 200;
const MAX_CHANGES = 20;
/** Characters of the line that stands for an answer. */
const MAX_SUMMARY = 300;

/** A call with its answer in one line, and what it changed. */
function timelineCall(call: AuditedCall, defaults: Defaults | undefined): ConsoleTimelineCall {
  const { end } = call;
  const changes = end?.changes ?? [];
  const summary = end === undefined ? undefined : ((end.ok ? undefined : end.cause) ?? end.summary);
  return {
    ...callRow(call, defaults),
    ...(summary === undefined ? {} : { summary: summary.slice(0, MAX_SUMMARY).toWellFormed() }),
    changes: changes.slice(0, MAX_CHANGES).map(({ kind, path, to }) => ({ kind, path, ...(to === undefined ? {} : { to }) })),
    changed: changes.length + (end?.more?.changes ?? 0),
  };
}

/**
 * Calls in order, with their answers and changes.
 *
 * @param newestFirst calls of an audit log
 * @param before only calls before this position in the log
 */
export function timelineOf(
  newestFirst: Iterable<AuditedCall>,
  defaultsOf: (tool: string) => Defaults | undefined,
  before = Number.POSITIVE_INFINITY,
): ConsoleTimeline {
  const calls: ConsoleTimelineCall[] = [];
  for (const call of newestFirst) {
    if (call.start.seq >= before) continue;
    if (calls.length === PART) return { calls: calls.toReversed(), more: true };
    calls.push(timelineCall(call, defaultsOf(call.tool)));
  }
  return { calls: calls.toReversed(), more: false };
}
