type Fields = Readonly<Record<string, unknown>>;

/** Levels of a structured value in which parts are shortened. A longer part that is deeper is left out: each level is measured again. */
const MAX_DEPTH = 6;

const length = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Counts how many of some parts of JSON fit into a number of characters, with commas between them. */
function fitting(lengths: readonly number[], characters: number): number {
  let room = characters - 2;
  const end = lengths.findIndex((one) => (room -= one + 1) < 0);
  return end === -1 ? lengths.length : end;
}

/** Takes the beginning of a value whose JSON has at most so many characters. Numbers and the like stay whole. */
function beginning(value: unknown, characters: number, depth: number): unknown {
  if (typeof value === 'string') {
    let kept = value.slice(0, Math.max(0, characters));
    while (kept !== '' && length(kept) > characters) kept = kept.slice(0, Math.floor(kept.length * 0.8));
    return kept.toWellFormed();
  }
  if (Array.isArray(value)) return value.slice(0, fitting(value.map(length), characters));
  if (!isFields(value)) return value;
  if (depth > MAX_DEPTH) return {};
  const { kept } = shortened(value, characters, depth);
  // What is left over is of many small fields: a table, and not an object of a certain form.
  const entries = Object.entries(kept);
  const lengths = entries.map(([name, field]) => length(name) + 1 + length(field));
  return Object.fromEntries(entries.slice(0, fitting(lengths, characters)));
}

/** Shortens the longest fields of an object until it fits, as far as they can be. */
function shortened(fields: Fields, characters: number, depth: number): { readonly kept: Fields; readonly cut: readonly string[] } {
  let over = length(fields) - characters;
  const parts = new Map(Object.entries(fields));
  const cut: string[] = [];
  const byLength = Array.from(parts, ([name, field]) => ({ name, field, before: length(field) })).toSorted((one, other) => other.before - one.before);
  for (const { name, field, before } of byLength) {
    if (over <= 0) break;
    const part = beginning(field, Math.max(2, before - over), depth + 1);
    const saved = before - length(part);
    if (saved <= 0) continue;
    parts.set(name, part);
    cut.push(name);
    over -= saved;
  }
  return { kept: Object.fromEntries(parts), cut };
}

/**
 * Shortens the longest texts and lists of a structured value until it fits, and says which in `notes`. Its form stays that of the
 * schema.
 *
 * @param characters maximum size as JSON
 */
export function cutFields({ notes, ...fields }: Record<string, unknown>, characters: number): Record<string, unknown> {
  const { kept, cut } = shortened(fields, characters - length(notes), 0);
  const told = `[Cut here, and whole in the text or by another call: ${cut.join(', ')}.]`;
  return { ...kept, notes: typeof notes === 'string' ? `${notes}\n${told}` : told };
}
