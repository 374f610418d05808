import { hash } from 'node:crypto';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { commandEnd, queryAudit, Receipts, WorkspaceJobs, type AuditedCall, type WorkspaceJob } from '@synapse/hands/internal';
import * as z from 'zod';
import { pathsOf } from '../seen-calls.ts';
import type { EvidenceCall } from './check-claims.ts';

/** The text of a result in a session, and the input of its call. */
interface InSession {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string | undefined;
}

/** The calls in the messages of a session, by the id that the model gave them. */
function inSession(messages: readonly LanguageModelV4Message[]): ReadonlyMap<string, InSession> {
  const found = new Map<string, InSession>();
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      for (const part of content)
        if (part.type === 'tool-call') found.set(part.toolCallId, { tool: part.toolName, input: part.input, output: undefined });
    } else if (role === 'tool') {
      for (const part of content) {
        const call = part.type === 'tool-result' ? found.get(part.toolCallId) : undefined;
        if (part.type === 'tool-result' && call !== undefined && part.output.type === 'text')
          found.set(part.toolCallId, { ...call, output: part.output.value });
      }
    }
  }
  return found;
}

const Arguments = z.object({ command: z.string().optional(), cwd: z.string().optional() });
/** Fields of tools and dialects with text that a call adds to a file. */
const ADDED: ReadonlySet<string> = new Set(['content', 'new_text', 'new_string', 'newText', 'text', 'patch', 'file_text', 'new_str', 'insert_text']);

/** The text that a call adds to files, of its arguments. */
function addedText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => addedText(item)).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([name, field]) => {
      if (typeof field !== 'string') return addedText(field);
      if (!ADDED.has(name)) return '';
      // Of a patch, what it removes is not added.
      return name === 'patch' ? field.replaceAll(/^[^+].*$/gmu, '') : field;
    })
    .join('\n');
}

/** What a command's result says of its end: a shortened one does not. */
const ENDS = /\[(?:exit code|ended by|timed out|ended early)[^\]]{0,2000}\]/u;

type Command = NonNullable<EvidenceCall['command']>;

/** What is known of the calls of a session, beside their records. */
interface Known {
  readonly calls: readonly AuditedCall[];
  /** Whether the receipts of calls are valid. */
  readonly current: ReadonlyMap<string, boolean>;
  readonly jobs: WorkspaceJobs;
  /** The jobs that run, by the call that started them. */
  readonly running: ReadonlyMap<string, WorkspaceJob>;
}

/** Maximum bytes of a job's output that is looked at. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

function folderOf({ start }: AuditedCall): string {
  const { success, data } = Arguments.safeParse(start.arguments);
  return (success ? data.cwd : undefined)?.replace(/^\.\/|\/$/gu, '') || '.';
}

/**
 * Whether the text of a result in the session is the recorded one, or was edited since. Any other text tells nothing: of a dialect, it has
 * another form.
 *
 * @param sum the hash of the recorded text
 */
function textState(
  { output, tool }: Pick<InSession, 'output' | 'tool'>,
  sum: string | undefined,
  recordedTool: string,
): 'recorded' | 'edited' | 'other' {
  if (output === undefined) return 'other';
  if (hash('sha256', output) === sum) return 'recorded';
  return sum !== undefined && tool === recordedTool && ENDS.test(output) ? 'edited' : 'other';
}

function commandOf(call: AuditedCall, shown: InSession | undefined, known: Known): Pick<EvidenceCall, 'command'> {
  const { start } = call;
  const ended = commandEnd(call);
  const record = ended?.command;
  if (record === undefined) return runningJob(call, known);
  const job = ended?.job;
  const text = shown === undefined ? 'other' : textState(shown, record.shown, start.tool);
  const isCurrent = known.current.get(start.call);
  const changedMeanwhile = changedWhile(call, known);
  const command: Command = {
    line: record.argv.at(-1) ?? '',
    folder: folderOf(call),
    exitCode: record.aborted === true ? null : record.exit_code,
    output: text === 'recorded' ? shown?.output : job === undefined ? undefined : jobOutput(job, record.output.sha256, known),
    ...(text === 'edited' ? { isEdited: true } : {}),
    ...(isCurrent === undefined ? {} : { isCurrent }),
    ...(job === undefined ? {} : { job: { runs: false } }),
    ...(changedMeanwhile === undefined ? {} : { changedMeanwhile }),
  };
  return { command };
}

/** A job of the call that has not ended. */
function runningJob(call: AuditedCall, { running, jobs }: Known): Pick<EvidenceCall, 'command'> {
  const job = running.get(call.call);
  if (job === undefined) return {};
  const output = jobs.outputBytes(job.id, MAX_OUTPUT_BYTES)?.toString();
  return { command: { line: job.command, folder: folderOf(call), exitCode: null, output, job: { runs: true } } };
}

/** What a job printed, if it is still kept as it was. */
function jobOutput(id: string, sum: string, { jobs }: Known): string | undefined {
  const bytes = jobs.outputBytes(id, MAX_OUTPUT_BYTES);
  return bytes === undefined || hash('sha256', bytes) !== sum ? undefined : bytes.toString();
}

/** A file that another call changed between the start and the end of a call. */
function changedWhile(call: AuditedCall, { calls }: Known): string | undefined {
  const until = commandEnd(call)?.seq ?? 0;
  const other = calls.find(
    (one) =>
      one.call !== call.call && one.end?.changes !== undefined && one.end.seq > call.start.seq && one.end.seq < until && changesIn(one).length > 0,
  );
  return other === undefined ? undefined : changesIn(other)[0]?.path;
}

/** The files that a call changed, other than those of git. */
const changesIn = (call: AuditedCall): NonNullable<NonNullable<AuditedCall['end']>['changes']> =>
  (commandEnd(call)?.changes ?? []).filter(({ kind, path }) => kind !== 'mkdir' && kind !== 'rmdir' && !path.startsWith('.git/'));

function evidenceOf(call: AuditedCall, shown: InSession | undefined, known: Known): EvidenceCall {
  const { start } = call;
  const end = commandEnd(call);
  const ok = end?.ok === true;
  const reads = ok
    ? [...(end.resolved ?? []), ...(end.resources ?? []).flatMap(({ action, resource }) => (action === 'read' ? [resource] : []))]
    : [];
  const added = addedText(shown?.input ?? start.arguments);
  const changes = (end?.changes ?? [])
    .filter(({ kind }) => kind !== 'mkdir' && kind !== 'rmdir')
    .flatMap(({ kind, path, to }) => [
      { path, isDeleted: kind === 'delete' || kind === 'move', ...(end?.command === undefined ? { added } : {}) },
      ...(to === undefined ? [] : [{ path: to, isDeleted: false }]),
    ]);
  return { id: call.call, ok, ...commandOf(call, shown, known), reads: [...reads, ...(ok ? pathsOf(start.arguments) : [])], changes };
}

/**
 * The calls of a session, from the audit log of a workspace: what a text of its model is checked against. The outputs come from the
 * messages of the session, where they are as they were recorded.
 */
export async function sessionEvidence(
  stateFolder: string,
  root: string,
  session: string,
  messages: readonly LanguageModelV4Message[] = [],
): Promise<EvidenceCall[]> {
  const calls = [...queryAudit(stateFolder, root, { session })].filter((call) => commandEnd(call) !== undefined);
  const hasCommands = calls.some((call) => commandEnd(call)?.command !== undefined);
  const jobs = new WorkspaceJobs(stateFolder, root);
  const running = new Map(jobs.list().flatMap((job) => (job.session === session && job.status !== 'ended' ? [[job.call, job] as const] : [])));
  using opened = hasCommands ? new Receipts(root, stateFolder) : undefined;
  const receipts = (await opened?.newest(session)) ?? [];
  const current = new Map(receipts.flatMap(({ call, state }) => (state === 'unknown' ? [] : [[call, state === 'valid'] as const])));
  const shown = inSession(messages);
  const own = (id: string): InSession | undefined => shown.get(id) ?? [...shown].find(([wanted]) => id.endsWith(`:${wanted}`))?.[1];
  const known: Known = { calls, current, jobs, running };
  const endOf = (call: AuditedCall): number => commandEnd(call)?.seq ?? 0;
  return calls.toSorted((one, other) => endOf(one) - endOf(other)).map((call) => evidenceOf(call, own(call.call), known));
}
