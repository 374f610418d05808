import type { CallSuccess } from '@synapse/protocol';

/** Maximum characters of a structured value as JSON, for a client with no limit of its own: the text of a result, and its escapes. */
const MAX_CHARACTERS = 100_000;
/** The most that JSON needs for a UTF-16 unit (`\u0000`), and for a number, a boolean or null. */
const [UNIT_CHARACTERS, SCALAR_CHARACTERS] = [6, 25];

const length = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** Takes the beginning of a text or list whose JSON has at most so many characters. Other values stay whole. */
function beginning(value: unknown, characters: number): unknown {
  if (typeof value === 'string') {
    let kept = value.slice(0, Math.max(0, characters));
    while (kept !== '' && length(kept) > characters) kept = kept.slice(0, Math.floor(kept.length * 0.8));
    return kept.toWellFormed();
  }
  if (!Array.isArray(value)) return value;
  let room = characters - 2;
  const end = value.findIndex((item) => (room -= length(item) + 1) < 0);
  return end === -1 ? value : value.slice(0, end);
}

/**
 * Shortens the longest texts and lists of a structured value until it fits, and says which in `notes`. Its form stays that of the
 * schema.
 *
 * @param characters maximum size as JSON
 */
export function cutFields({ notes, ...fields }: Record<string, unknown>, characters: number): Record<string, unknown> {
  let over = length(fields) + length(notes) - characters;
  const kept: Record<string, unknown> = { ...fields };
  const cut: string[] = [];
  for (const name of Object.keys(kept).toSorted((one, other) => length(fields[other]) - length(fields[one]))) {
    if (over <= 0) break;
    const before = length(kept[name]);
    kept[name] = beginning(kept[name], Math.max(2, before - over));
    const saved = before - length(kept[name]);
    if (saved > 0) cut.push(name);
    over -= saved;
  }
  const told = `[Cut here, and whole in the text or by another call: ${cut.join(', ')}.]`;
  return { ...kept, notes: typeof notes === 'string' ? `${notes}\n${told}` : told };
}

/**
 * Whether a value has at most so many characters as JSON, as far as a quick look tells: most results are far below the limit, and to encode each
 * twice takes longer than all else here.
 */
export function surelyFits(value: unknown, characters: number): boolean {
  let room = characters;
  const fits = (one: unknown): boolean => {
    if (typeof one === 'string') return (room -= one.length * UNIT_CHARACTERS + 2) >= 0;
    if (typeof one !== 'object' || one === null) return typeof one !== 'bigint' && (room -= SCALAR_CHARACTERS) >= 0;
    if ('toJSON' in one || (room -= 2) < 0) return false;
    if (Array.isArray(one)) return one.every((item) => (room -= 1) >= 0 && fits(item));
    for (const [name, field] of Object.entries(one)) if (!fits(name) || (room -= 2) < 0 || !fits(field)) return false;
    return true;
  };
  return fits(value);
}

const isFields = (data: unknown): data is Readonly<Record<string, unknown>> => typeof data === 'object' && data !== null && !Array.isArray(data);

/**
 * The data of a result for a program, and the notes about the call: some clients show their model nothing else. Undefined if the data
 * is not an object.
 */
export function structuredContent({ data, content }: CallSuccess, characters = MAX_CHARACTERS): Record<string, unknown> | undefined {
  if (!isFields(data)) return undefined;
  // The content has the images already, in a form that a model sees.
  const images = new Set<unknown>(content.flatMap((block) => (block.type === 'image' ? [block.data] : [])));
  const notes = content.flatMap((block) => (block.type === 'note' ? [block.text] : []));
  const shown = images.size === 0 ? data : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, images.has(value) ? '' : value]));
  const fields = notes.length === 0 ? shown : { ...shown, notes: notes.join('\n') };
  return surelyFits(fields, characters) || length(fields) <= characters ? fields : cutFields(fields, characters);
}
