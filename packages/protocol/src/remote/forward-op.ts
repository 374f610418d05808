import * as z from 'zod';

const count = z.int().min(0);
const name = z.string().min(1).max(160);
const text = z.string().max(1_000);

/** The codes that end a forward. One of a later version counts as `unavailable`. */
const Code = z.enum(['invalid_arguments', 'denied', 'not_found', 'conflict', 'busy', 'unavailable', 'cancelled']).catch('unavailable');

/** Maximum bytes of a piece of a forwarded connection. Small, so that a call need not wait long behind one. */
export const PIECE_BYTES = 16_384;

/**
 * What the two ends say about forwarded ports. A relay sees none of it. A token names a forward until its line breaks: what was recorded
 * before says nothing after it. Offsets and totals are bytes since the connection began, so that one that is lost, doubled or swapped ends it.
 */
export const ForwardOp = z.discriminatedUnion('op', [
  /** From the agent: forward a port of a job. Without `port`, its only one. */
  z.object({
    op: z.literal('open'),
    forward: count,
    job: name,
    port: z.int().min(1).max(65_535).optional(),
    workspace: name.optional(),
  }),
  z.object({ op: z.literal('opened'), forward: count, token: name, job: name, port: z.int().min(1).max(65_535) }),
  /** From the machine: the forward was refused, or has ended. */
  z.object({ op: z.literal('closed'), forward: count, code: Code, message: text, hint: text.optional() }),
  z.object({ op: z.literal('close'), forward: count }),
  /** From the agent: it still listens. */
  z.object({ op: z.literal('alive') }),
  z.object({ op: z.literal('connect'), token: name, conn: count }),
  z.object({ op: z.literal('data'), token: name, conn: count, at: count, data: z.base64().max(Math.ceil(PIECE_BYTES / 3) * 4) }),
  /** The sender has nothing more to send on this connection, of which `at` bytes were sent. */
  z.object({ op: z.literal('end'), token: name, conn: count, at: count }),
  z.object({ op: z.literal('reset'), token: name, conn: count }),
  /** How many bytes of a connection the sender of this takes in all. */
  z.object({ op: z.literal('credit'), token: name, conn: count, bytes: count }),
  /** How many bytes arrived for all connections together. */
  z.object({ op: z.literal('got'), token: name, bytes: count }),
]);
export type ForwardOp = z.infer<typeof ForwardOp>;

/** What is said about connections, by both ends. */
export type ConnectionOp = Extract<ForwardOp, { readonly token: string; readonly op: 'data' | 'end' | 'reset' | 'credit' | 'got' }>;
