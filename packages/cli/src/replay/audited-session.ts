import type { RecordedCall } from '@synapse/brain';
import { defaultStateFolder, keptText, queryAudit, sessionsBeginning, type AuditedCall } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { factsOf, type Recording } from './recording.ts';

/** A text of which the audit log holds only the beginning. */
const CutText = z.strictObject({ text: z.string(), bytes: z.int(), sha256: z.string().regex(/^[\da-f]{64}$/u) });

/** What the audit log writes for a part that it leaves out. */
const LEFT_OUT = /^\[(?:\d+ more|more fields|nested deeper|unreadable|redacted|undefined|function|symbol|bigint)\]$/u;

/** The arguments of a call as far as they are whole. What is missing is marked as redacted, so that the call is not run. */
function wholeArguments(value: unknown, root: string): unknown {
  if (typeof value === 'string') return LEFT_OUT.test(value) ? '[redacted]' : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => wholeArguments(item, root));
  const cut = CutText.safeParse(value);
  // A whole file that the call wrote is kept for blame.
  if (cut.success) return keptText(defaultStateFolder(), root, cut.data.sha256) ?? '[redacted]';
  return Object.fromEntries(Object.entries(value).map(([name, field]: [string, unknown]) => [name, wholeArguments(field, root)]));
}

/** The line about a call in the log tells its outcome, and stands for the answer, which is not recorded. */
function recordedCall({ call, tool, start, end }: AuditedCall): RecordedCall {
  const input = wholeArguments(start.arguments, start.project);
  return { id: call, tool, input, output: end === undefined ? undefined : { type: 'text', value: end.summary } };
}

/**
 * A session of a client, which only the audit log of a workspace knows; undefined if there is none of this name.
 *
 * @throws SynapseError `conflict` if the beginning of an id fits several
 */
export function findAuditedSession(named: string, root: string): Recording | undefined {
  const stateFolder = defaultStateFolder();
  const ids = sessionsBeginning(stateFolder, root, named);
  const id = ids.find((one) => one === named) ?? ids[0];
  if (id === undefined || named === '') return undefined;
  if (id !== named && ids.length > 1) {
    throw new SynapseError('conflict', `Several sessions begin with ${named.slice(0, 64)}: ${ids.slice(0, 5).join(', ')}.`, {
      hint: 'Write more of it.',
    });
  }
  const audited = [...queryAudit(stateFolder, root, { session: id })].toReversed();
  const calls = audited.filter(({ start }) => start.parent === undefined && start.dry_run !== true);
  const times = audited.map(({ start }) => Date.parse(start.time));
  const [createdAt, updatedAt] = [Math.min(...times), Math.max(...times)];
  return {
    session: { id, workspace: root, model: '', task: '', status: 'done', createdAt, updatedAt, calls: calls.length },
    messages: [],
    calls: calls.map(recordedCall),
    ran: new Set(calls.map(({ call }) => call)),
    facts: factsOf(calls),
    start: undefined,
    answers: 'summaries',
  };
}
