import type { PersonForm } from '@synapse/protocol';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { GRANT_SCOPES } from '../../policy/grant.ts';
import type { ApprovalRequest, Trial } from '../approver.ts';
import { FilledSchema, FormSchema, QuestionSchema, TrialSchema } from '../question-schema.ts';

/** A question without the fields that cannot be serialized. */
type WrittenQuestion = Omit<ApprovalRequest, 'tryOut'>;

/** The messages of the process that makes calls, as it writes them. */
export type SentByAsker =
  | { readonly type: 'output'; readonly root: string; readonly call: string; readonly ok: boolean; readonly text: string }
  | { readonly type: 'ask'; readonly root: string; readonly from: string; readonly canTry: boolean; readonly request: WrittenQuestion }
  | { readonly type: 'form'; readonly root: string; readonly from: string; readonly form: PersonForm }
  | { readonly type: 'tried'; readonly id: number; readonly trial: Trial }
  | { readonly type: 'not-tried'; readonly id: number; readonly message: string };
/** The same messages, as the window reads them. */
export const AskerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('output'), root: z.string(), call: z.string(), ok: z.boolean(), text: z.string() }),
  z.object({
    type: z.literal('ask'),
    root: z.string(),
    from: z.string(),
    canTry: z.boolean(),
    request: QuestionSchema.transform((question): WrittenQuestion => ({ ...question, sessionId: question.sessionId })),
  }),
  z.object({ type: z.literal('form'), root: z.string(), from: z.string(), form: FormSchema }),
  z.object({ type: z.literal('tried'), id: z.int(), trial: TrialSchema }),
  z.object({ type: z.literal('not-tried'), id: z.int(), message: z.string() }),
]);
export type AskerMessage = z.infer<typeof AskerMessage>;

/** The messages of the window that answers. */
export const WindowMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('try'), id: z.int() }),
  z.object({
    type: z.literal('allow'),
    scope: z.enum(GRANT_SCOPES),
    /** Index of the proposal to remember. */
    proposal: z.int().exactOptional(),
    effect: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('deny'), reason: z.string().max(2_000).exactOptional() }),
  z.object({ type: z.literal('filled'), filled: FilledSchema }),
  z.object({ type: z.literal('later') }),
]);
export type WindowMessage = z.infer<typeof WindowMessage>;

/** Maximum length of a message line, in characters. The diffs of a question need less, even with quotes around each line. */
const MAX_LINE = 4 * 1024 * 1024;

/** Sends a message. The other end may be gone, which the reader notices. */
export function send(socket: Socket, message: SentByAsker | WindowMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/**
 * Yields the messages of the other end until it closes.
 *
 * @throws SyntaxError, ZodError or RangeError for an invalid message
 */
export async function* messages<Schema extends z.ZodType>(socket: Socket, schema: Schema): AsyncGenerator<z.infer<Schema>> {
  let rest = '';
  // Reassembles characters that are split between chunks.
  socket.setEncoding('utf8');
  for await (const chunk of socket) {
    rest += String(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield schema.parse(JSON.parse(line));
    if (rest.length > MAX_LINE) throw new RangeError('The message is too long.');
  }
}
