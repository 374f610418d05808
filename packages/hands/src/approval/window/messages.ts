import type { FilledForm, PersonForm } from '@synapse/protocol';
import type { Socket } from 'node:net';
import * as z from 'zod';
import type { ShownEffect } from '../../dry-run/show-effect.ts';
import { GRANT_SCOPES } from '../../policy/grant.ts';
import type { ApprovalRequest, Trial } from '../approver.ts';

const EffectShown = z.object({
  changes: z.array(
    z.object({
      kind: z.enum(['created', 'changed', 'deleted', 'moved']),
      path: z.string(),
      from: z.string().exactOptional(),
      diff: z.string().exactOptional(),
      note: z.string().exactOptional(),
    }),
  ),
  meaning: z.array(z.string()).exactOptional(),
  asked: z.array(z.string()).exactOptional(),
  repositories: z.array(z.string()).exactOptional(),
  folded: z
    .array(
      z.object({
        path: z.string(),
        files: z.int(),
        bytes: z.number(),
        packages: z.object({ added: z.int(), changed: z.int(), deleted: z.int() }),
        isIgnored: z.boolean().exactOptional(),
      }),
    )
    .exactOptional(),
  more: z.int(),
  omitted: z.array(z.object({ path: z.string(), reason: z.string() })),
  cautions: z.array(z.string()),
  blocked: z.string().exactOptional(),
}) satisfies z.ZodType<ShownEffect>;
const TrialShown = z.object({
  fingerprint: z.string(),
  effect: EffectShown,
  output: z.string(),
  completion: z.enum(['ok', 'failed', 'timeout']),
}) satisfies z.ZodType<Trial>;
const Proposal = z.object({
  kind: z.enum(['exact', 'pattern']),
  rules: z.array(z.string()),
  covers: z.array(z.string()),
  doesNotCover: z.array(z.string()),
});
const Question = z.object({
  callId: z.string(),
  sessionId: z.string().exactOptional(),
  tool: z.string(),
  title: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  defaults: z.array(z.string()).exactOptional(),
  fingerprint: z.string(),
  reason: z.string(),
  effects: z.array(z.string()),
  changed: TrialShown.extend({ headline: z.string(), network: z.boolean().exactOptional() }).exactOptional(),
  proposals: z.array(Proposal),
});

const Form = z.object({
  server: z.string(),
  tool: z.string(),
  message: z.string(),
  schema: z.record(z.string(), z.unknown()),
  url: z.string().exactOptional(),
}) satisfies z.ZodType<PersonForm>;
const Filled = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('accept'),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  }),
  z.object({ action: z.literal('decline') }),
  z.object({ action: z.literal('cancel') }),
]) satisfies z.ZodType<FilledForm>;

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
    request: Question.transform((question): WrittenQuestion => ({ ...question, sessionId: question.sessionId })),
  }),
  z.object({ type: z.literal('form'), root: z.string(), from: z.string(), form: Form }),
  z.object({ type: z.literal('tried'), id: z.int(), trial: TrialShown }),
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
  z.object({ type: z.literal('filled'), filled: Filled }),
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
