import * as z from 'zod';
import { isTooDeep } from './too-deep.ts';

/** A call from a brain that only knows calls and results. */
export const BaseCall = z.object({
  type: z.literal('tool_call'),
  tool: z.string().min(1).max(160),
  id: z.union([z.string().max(160), z.number()]),
  arguments: z.unknown().optional(),
  args: z.unknown().optional(),
});
export type BaseCall = z.infer<typeof BaseCall>;

/** A call without the protocol that cannot run. It is answered, so that its brain does not wait for a result. */
export interface BadCall {
  readonly kind: 'bad_call';
  /** What was sent as its id; null if that cannot be sent back. */
  readonly id: unknown;
  readonly reason: string;
}

/** The rules for the fields of a call. */
const RULES: Readonly<Record<string, string>> = {
  id: 'A call needs an id: a text of up to 160 characters, or a number.',
  tool: 'A call needs the name of a tool, of up to 160 characters.',
};

/** Parses a call without the protocol; undefined if it is no call. Ignores fields that such a call does not have, such as `seq`. */
export function parseBaseCall(value: unknown): { readonly kind: 'base'; readonly call: BaseCall } | BadCall | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'tool_call') return undefined;
  // A damaged frame of the protocol. Its id is valid on more than one connection, so it must not run as a call of this one.
  if ('hash' in value && 'ledger' in value) return undefined;
  const id = 'id' in value && !isTooDeep(value.id) ? value.id : null;
  if (isTooDeep(value)) return { kind: 'bad_call', id, reason: 'The arguments are nested too deep.' };
  const { data, error } = BaseCall.safeParse(value);
  if (data !== undefined) return { kind: 'base', call: data };
  const field = String(error.issues[0]?.path[0]);
  return { kind: 'bad_call', id, reason: RULES[field] ?? 'The call cannot be read.' };
}

/** A result for a brain that only knows calls and results. */
export const baseResult = (id: unknown, status: 'success' | 'error', output: string): string =>
  JSON.stringify({ type: 'tool_result', tool_call_id: id, status, output });
