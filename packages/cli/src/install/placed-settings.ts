import { SynapseError } from '@synapse/protocol';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ClientSetting } from './client-settings.ts';
import type { EntryFormat } from './entry-format.ts';

/** A setting that was written to a file, with the data to remove it after the file was changed by others. */
export const PlacedSetting = z.strictObject({
  keys: z.array(z.string()),
  /** The items that were added to a list. */
  value: z.unknown(),
  adds: z.boolean(),
  /** The previous value; absent if there was none. */
  previous: z.unknown().optional(),
});
export type PlacedSetting = z.infer<typeof PlacedSetting>;

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const without = (list: readonly unknown[], items: readonly unknown[]): unknown[] =>
  list.filter((one) => !items.some((item) => isDeepStrictEqual(item, one)));

/** The list at a path; undefined if there is none. */
export function listAt(format: EntryFormat, text: string, keys: readonly string[]): readonly unknown[] | undefined {
  const there = format.get(text, keys);
  if (there === undefined) return undefined;
  if (Array.isArray(there)) return there;
  throw new SynapseError('invalid_arguments', `Not a list: ${keys.join('.')}. Nothing was changed.`, {
    hint: 'Mend the file, then repeat the command.',
  });
}

/** Writes a setting to a text. */
export function place(format: EntryFormat, text: string, { keys, value, adds, ifAbsent }: ClientSetting): string {
  const there = adds === true ? listAt(format, text, keys) : format.get(text, keys);
  if (ifAbsent === true && there !== undefined) return text;
  const wanted = adds === true && Array.isArray(there) ? [...there, ...without(itemsOf(value), there)] : value;
  return isDeepStrictEqual(there, wanted) ? text : format.set(text, keys, wanted);
}

/** The result of writing settings to a text. */
export function placedIn(format: EntryFormat, text: string, settings: readonly ClientSetting[]): PlacedSetting[] {
  return settings.flatMap(({ keys, value, adds = false, ifAbsent = false }) => {
    const previous = adds ? listAt(format, text, keys) : format.get(text, keys);
    if (ifAbsent && previous !== undefined) return [];
    const own = adds ? without(itemsOf(value), itemsOf(previous)) : value;
    if (adds ? itemsOf(own).length === 0 && previous !== undefined : isDeepStrictEqual(previous, value)) return [];
    return [{ keys: [...keys], value: own, adds, ...(previous === undefined ? {} : { previous }) }];
  });
}

/** Removes settings from a text that others may have changed. Keeps values that are not as they were written. */
export function takeOut(format: EntryFormat, text: string, placed: readonly PlacedSetting[]): string {
  return placed.toReversed().reduce((whole, { keys, value, adds, previous }) => {
    const there = format.get(whole, keys);
    if (adds) {
      if (!Array.isArray(there)) return whole;
      const rest = without(there, itemsOf(value));
      if (rest.length === there.length) return whole;
      return rest.length === 0 && previous === undefined ? format.remove(whole, keys) : format.set(whole, keys, rest);
    }
    if (!isDeepStrictEqual(there, value)) return whole;
    return previous === undefined ? format.remove(whole, keys) : format.set(whole, keys, previous);
  }, text);
}
