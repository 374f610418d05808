import type { KV } from '@nats-io/kv';
import type * as z from 'zod';

/** NATS error `wrong last sequence`: another writer was faster. */
const WRONG_LAST = 10_071;

/** Whether a write failed because another writer was faster. */
export const wasFaster = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === WRONG_LAST;

/** Writes a value if its revision is still the given one, 0 for a new key. @returns the new revision; undefined if another was faster */
export async function swap(bucket: KV, key: string, value: string, revision: number): Promise<number | undefined> {
  try {
    return await bucket.put(key, value, { previousSeq: revision });
  } catch (error) {
    if (wasFaster(error)) return undefined;
    throw error;
  }
}

/** Reads a value and its revision. */
export async function readValue<Value>(bucket: KV, key: string, schema: z.ZodType<Value>): Promise<{ value: Value | undefined; revision: number }> {
  const entry = await bucket.get(key);
  if (entry === null) return { value: undefined, revision: 0 };
  return { value: entry.operation === 'PUT' ? schema.parse(JSON.parse(entry.string())) : undefined, revision: entry.revision };
}

/** Replaces a value atomically. @returns the previous one */
export async function changeValue<Value>(
  bucket: KV,
  key: string,
  schema: z.ZodType<Value>,
  next: (before: Value | undefined) => Value | undefined,
): Promise<Value | undefined> {
  for (;;) {
    const { value, revision } = await readValue(bucket, key, schema.nullable());
    const before = value ?? undefined;
    const after = next(before);
    if (after === before || (await swap(bucket, key, JSON.stringify(after ?? null), revision)) !== undefined) return before;
  }
}
