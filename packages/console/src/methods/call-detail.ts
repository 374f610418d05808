import { SessionStore } from '@synapse/brain';
import { queryAudit, type AuditedCall } from '@synapse/hands/internal';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import type { ConsoleCallDetail } from '@synapse/protocol/console';
import * as z from 'zod';
import type { OpenProject } from '../project/open-project.ts';
import { callRow } from '../calls/call-row.ts';
import type { KeptOutput } from '../calls/output-memory.ts';

/** Milliseconds after its end in which the output of a call of another process may still come. */
const NEW_MS = 2_000;

const ResultPart = z.object({ output: z.object({ type: z.string(), value: z.unknown() }) });

/** Returns the output that a model's session stored for a call, regardless of the process that ran it. */
function outputOfSession(stateFolder: string, session: string | undefined, call: string): KeptOutput {
  if (session === undefined) return {};
  try {
    using store = SessionStore.open(stateFolder);
    const kept = store.resume(session).call(call);
    if (kept?.state !== 'done') return {};
    const { output } = ResultPart.parse(JSON.parse(kept.message));
    const text = typeof output.value === 'string' ? output.value : JSON.stringify(output.value, null, 2);
    return output.type === 'error-text' ? { error: text } : { output: text };
  } catch {
    // Not a session of a model, or from another version.
    return {};
  }
}

async function changesOf(project: OpenProject, { start, end }: AuditedCall): Promise<Pick<ConsoleCallDetail, 'changes' | 'changesNote'>> {
  if (end?.changes === undefined) return { changes: [] };
  try {
    return { changes: await project.hands.changes({ call: start.call }) };
  } catch (error) {
    return { changes: [], changesNote: toSynapseError(error).message };
  }
}

const isEmpty = ({ output, error }: KeptOutput): boolean => output === undefined && error === undefined;

/** The output or the error of a call: of this console, of the process that made it, or of the session of a model. */
async function textOf({ outputs, root, stateFolder }: OpenProject, { start, end }: AuditedCall): Promise<KeptOutput> {
  const kept = outputs.get(root, start.call);
  if (!isEmpty(kept)) return kept;
  const stored = outputOfSession(stateFolder, start.session, start.call);
  const isNew = end !== undefined && Date.now() - Date.parse(end.time) < NEW_MS;
  return isEmpty(stored) && isNew ? await outputs.soon(root, start.call) : stored;
}

/** What is known of a call from its end. */
function factsOf(end: AuditedCall['end']): Pick<ConsoleCallDetail, 'rule' | 'approver' | 'answer' | 'guard' | 'resources' | 'undo'> {
  if (end === undefined) return { resources: [] };
  const { rule, approver, answer, guard, resources = [], undo } = end;
  return {
    ...(rule === undefined ? {} : { rule }),
    ...(approver === undefined ? {} : { approver }),
    ...(answer === undefined ? {} : { answer }),
    ...(guard === undefined ? {} : { guard }),
    resources,
    ...(undo === undefined ? {} : { undo }),
  };
}

/** Returns all details of a call. */
export async function callDetail(project: OpenProject, call: string): Promise<ConsoleCallDetail> {
  const found = queryAudit(project.stateFolder, project.root, { call, limit: 1 }).next().value;
  if (found === undefined) throw new SynapseError('not_found', `Call not found: ${call.slice(0, 80)}`);
  const { start, end } = found;
  const said = await textOf(project, found);
  const error = said.error ?? (end?.ok === false ? end.cause : undefined);
  return {
    call: callRow(found),
    input: JSON.stringify(start.arguments, null, 2) ?? 'null',
    ...(said.output === undefined ? {} : { output: said.output }),
    ...(error === undefined ? {} : { error }),
    ...(end === undefined ? {} : { summary: end.summary }),
    project: start.project,
    process: start.process.split(' ')[0] ?? '',
    ...(start.mode === undefined ? {} : { mode: start.mode }),
    ...factsOf(end),
    ...(await changesOf(project, found)),
  };
}
