/** White space in a row, up to which it is shown as it is: more can push what follows out of sight. */
const MAX_SPACES = 16;
const MAX_EMPTY_LINES = 3;

// Beside what Unicode calls control, format and separator: letters and marks without a look of their own,
// and marks in numbers that paint over the lines around them.
const HIDDEN = /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]|(?<=\p{M}\p{M})\p{M}/gv;

function codePoint(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

const many = (amount: number, what: string): string => `⟨${amount.toLocaleString('en')} ${what}⟩`;

/** A line in which everything can be seen: white space in masses is counted, what has no look gets its number. */
export function visibleSpan(line: string): string {
  return line
    .replace(/ +$/u, (spaces) => (spaces.length > MAX_SPACES ? spaces : '·'.repeat(spaces.length)))
    .replace(new RegExp(` {${MAX_SPACES + 1},}`, 'gu'), (spaces) => many(spaces.length, 'spaces'))
    .replace(/\t{5,}/gu, (tabs) => many(tabs.length, 'tabs'))
    .replace(HIDDEN, (character) => (character === '\t' ? '→   ' : codePoint(character)));
}

/** A text in lines in which everything can be seen. */
export function visibleLines(text: string): string[] {
  const lines: string[] = [];
  let empty = 0;
  const flush = (): void => {
    if (empty > MAX_EMPTY_LINES) lines.push(many(empty, 'empty lines'));
    else for (let index = 0; index < empty; index += 1) lines.push('');
    empty = 0;
  };
  for (const line of text.split(/\r?\n/u)) {
    if (line.trim() === '') {
      empty += 1;
      continue;
    }
    flush();
    lines.push(visibleSpan(line));
  }
  flush();
  return lines;
}
