import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { isSecretName, REDACTED } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { CallFacts } from './call-facts.ts';
import { SessionMessage } from './session-messages.ts';
import type { SessionRecord } from './session-record.ts';

/** What a replay needs, beside the messages. */
export const RecordedSession = z.strictObject({
  /** The calls that ran, with what the audit log knows of each. */
  calls: z.array(z.strictObject({ id: z.string().max(200), facts: CallFacts.optional() })).max(100_000),
  /** The workspace as it was at the start; undefined if it was not known any more. */
  start: z
    .strictObject({
      /** The commit that was checked out. */
      commit: z
        .string()
        .regex(/^[\da-f]{40,64}$/u)
        .optional(),
      /** Files that the calls read or changed, with the version of each as `read_file` names it; null for one that was absent. */
      files: z.record(z.string().max(4_096), z.string().nullable()),
      /** When files were last changed that the answers name, in nanoseconds since 1970: searches answer in this order. */
      modified: z.record(z.string().max(4_096), z.string().regex(/^\d{1,19}$/u)).optional(),
    })
    .optional(),
});
export type RecordedSession = z.infer<typeof RecordedSession>;

const STATUSES = ['done', 'limit', 'loop', 'paused', 'cancelled', 'refused', 'failed', 'running'] as const;

const FirstLine = z.object({
  type: z.literal('session'),
  id: z.string().regex(/^[\w-]{1,64}$/u),
  workspace: z.string().min(1).max(4_096),
  model: z.string().max(400),
  protocol: z.string().max(400).optional(),
  dialect: z.string().max(400).optional(),
  task: z.string(),
  status: z.enum(STATUSES),
  createdAt: z.number().int().nonnegative(),
  updatedAt: z.number().int().nonnegative(),
  recorded: RecordedSession.optional(),
});

/** A session that was read from a file. */
export interface SessionFile {
  readonly session: Omit<z.infer<typeof FirstLine>, 'type' | 'recorded'>;
  readonly recorded: RecordedSession | undefined;
  readonly messages: readonly LanguageModelV4Message[];
}

/** Deeper values are in no message; such a file is hostile. */
const MAX_DEPTH = 100;

/** A value without secrets: those with a known pattern, and texts under a name that says so. Bytes of images stay. */
function withoutSecrets(value: unknown, redact: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, redact, depth + 1));
  const isBytes = 'mediaType' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => {
      if (isBytes && name === 'data') return [name, field];
      return [name, typeof field === 'string' && isSecretName(name) ? REDACTED : withoutSecrets(field, redact, depth + 1)];
    }),
  );
}

/** Writes a session as JSON Lines, without secrets: the session first, then each message. */
export function* sessionLines(
  session: SessionRecord,
  recorded: RecordedSession,
  messages: readonly LanguageModelV4Message[],
  redact: (text: string) => string,
): Generator<string> {
  const shown = withoutSecrets(session, redact);
  yield JSON.stringify({ type: 'session', ...(typeof shown === 'object' ? shown : {}), recorded: withoutSecrets(recorded, redact) });
  for (const message of messages) {
    const clean = withoutSecrets(message, redact);
    yield JSON.stringify({ type: 'message', ...(typeof clean === 'object' ? clean : {}) });
  }
}

/**
 * Reads a session from JSON Lines.
 *
 * @throws SynapseError `invalid_arguments` with the line
 */
export function readSessionFile(text: string): SessionFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first, ...rest] = lines.map((line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch {
      throw notSession(index + 1, 'it is not JSON');
    }
  });
  const { type: _, recorded, ...session } = parsed(FirstLine, first, 1);
  return { session, recorded, messages: rest.map((line, index) => parsed(SessionMessage, line, index + 2)) };
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown, line: number): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw notSession(line, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim().slice(0, 200));
}

function notSession(line: number, why: string): SynapseError {
  return new SynapseError('invalid_arguments', `This is no exported session: line ${line}: ${why}.`, {
    hint: 'Write one with: synapse sessions export ID > session.jsonl',
  });
}
