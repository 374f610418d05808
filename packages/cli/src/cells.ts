/** Cells of a terminal that a character may take: what is not ASCII counts twice, so that a line never grows past its end. */
export function cells(character: string): number {
  return character < '\u0080' ? 1 : 2;
}

/** The beginning of a text that takes no more than so many cells. */
export function beginning(text: string, room: number): string {
  let end = 0;
  let taken = 0;
  for (const character of text) {
    taken += cells(character);
    if (taken > room) break;
    end += character.length;
  }
  return text.slice(0, end);
}
