import * as z from 'zod';

const Count = z.number().nonnegative();

const AttemptEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session'), sessionId: z.string() }),
  z.looseObject({ type: z.literal('call-start'), tool: z.string() }),
  z.looseObject({
    type: z.literal('call-end'),
    callId: z.string(),
    tool: z.string(),
    ok: z.boolean(),
    completion: z.enum(['ok', 'failed', 'timeout']),
    summary: z.string(),
    error: z.string().optional(),
    durationMs: Count,
  }),
  z.looseObject({ type: z.literal('retry'), reason: z.string(), attempt: Count, waitMs: Count }),
  z.looseObject({ type: z.literal('usage'), total: z.looseObject({ inputTokens: Count, outputTokens: Count, costUsd: Count.optional() }) }),
  z.looseObject({
    type: z.literal('done'),
    result: z.looseObject({
      status: z.enum(['done', 'limit', 'loop', 'paused', 'cancelled', 'refused', 'failed']),
      text: z.string(),
      reason: z.string().optional(),
    }),
  }),
]);
type AttemptEvent = z.infer<typeof AttemptEvent>;

/** A line of an attempt as a JSON object, and as an event if it is one that counts here; undefined for anything else. */
export function readEvent(
  line: string,
): { readonly object: Readonly<Record<string, unknown>>; readonly event: AttemptEvent | undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  return object.success ? { object: object.data, event: AttemptEvent.safeParse(value).data } : undefined;
}
