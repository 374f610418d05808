/** Maximum number of spaces in a row that are shown unchanged. More can push the following text out of sight. */
const MAX_SPACES = 16;
const MAX_EMPTY_LINES = 3;

// In addition to Unicode's control, format and separator characters: letters and marks that are invisible,
// and piles of marks that paint over the lines around them.
const HIDDEN = /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]|(?<=\p{M}\p{M})\p{M}/gv;

function codePoint(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

const many = (amount: number, what: string): string => `⟨${amount.toLocaleString('en')} ${what}⟩`;

/** Makes everything in a line visible: counts long runs of white space, and shows invisible characters by number. */
export function visibleSpan(line: string): string {
  return line
    .replace(/ +$/u, (spaces) => (spaces.length > MAX_SPACES ? spaces : '·'.repeat(spaces.length)))
    .replace(new RegExp(` {${MAX_SPACES + 1},}`, 'gu'), (spaces) => many(spaces.length, 'spaces'))
    .replace(/\t{5,}/gu, (tabs) => many(tabs.length, 'tabs'))
    .replace(HIDDEN, (character) => (character === '\t' ? '→   ' : codePoint(character)));
}

/** Splits a text into lines in which everything is visible. */
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
