import { hash } from 'node:crypto';
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { queryAudit, Receipts, type AuditedCall } from '@synapse/hands/internal';
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

function commandOf({ start, end }: AuditedCall, shown: InSession | undefined, current: ReadonlyMap<string, boolean>): Pick<EvidenceCall, 'command'> {
  const record = end?.command;
  if (record === undefined) return {};
  const { success, data } = Arguments.safeParse(start.arguments);
  const output = shown?.output;
  const isSame = output !== undefined && hash('sha256', output) === record.shown;
  const isCurrent = current.get(start.call);
  const command: Command = {
    line: record.argv.at(-1) ?? '',
    folder: (success ? data.cwd : undefined)?.replace(/^\.\/|\/$/gu, '') || '.',
    exitCode: record.aborted === true ? null : record.exit_code,
    output: isSame ? output : undefined,
    // Of a dialect, the text has another form.
    ...(output !== undefined && !isSame && shown?.tool === start.tool && ENDS.test(output) ? { isEdited: true } : {}),
    ...(isCurrent === undefined ? {} : { isCurrent }),
  };
  return { command };
}

function evidenceOf(call: AuditedCall, shown: InSession | undefined, current: ReadonlyMap<string, boolean>): EvidenceCall {
  const { start, end } = call;
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
  return { id: call.call, ok, ...commandOf(call, shown, current), reads: [...reads, ...(ok ? pathsOf(start.arguments) : [])], changes };
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
  const calls = [...queryAudit(stateFolder, root, { session })].filter(({ end }) => end !== undefined);
  const hasCommands = calls.some(({ end }) => end?.command !== undefined);
  using opened = hasCommands ? new Receipts(root, stateFolder) : undefined;
  const receipts = (await opened?.newest(session)) ?? [];
  const current = new Map(receipts.flatMap(({ call, state }) => (state === 'unknown' ? [] : [[call, state === 'valid'] as const])));
  const shown = inSession(messages);
  const own = (id: string): InSession | undefined => shown.get(id) ?? [...shown].find(([wanted]) => id.endsWith(`:${wanted}`))?.[1];
  return calls.toSorted((one, other) => (one.end?.seq ?? 0) - (other.end?.seq ?? 0)).map((call) => evidenceOf(call, own(call.call), current));
}
