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
