/** Names for characters that are hard to recognize. */
const NAMES: Readonly<Record<string, string>> = {
  '\t': 'TAB',
  '\r': 'CARRIAGE RETURN',
  ' ': 'SPACE',
  '\u00a0': 'NO-BREAK SPACE',
  '\u00ad': 'SOFT HYPHEN',
  '\u200b': 'ZERO WIDTH SPACE',
  '\u200c': 'ZERO WIDTH NON-JOINER',
  '\u200d': 'ZERO WIDTH JOINER',
  '\u202f': 'NARROW NO-BREAK SPACE',
  '\u2060': 'WORD JOINER',
  '\u3000': 'IDEOGRAPHIC SPACE',
  '\ufeff': 'ZERO WIDTH NO-BREAK SPACE (byte order mark)',
};

const INVISIBLE = /[^\P{C}\n]|[\p{Z}--[ ]]/gv;

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the name or the character, with its code point, to distinguish characters that look alike. */
export function visibleCharacter(character: string | undefined): string {
  if (character === undefined || character === '') return 'the end of the line';
  const name = NAMES[character];
  if (name !== undefined) return `${name} (${codePoint(character)})`;
  return /[\p{C}\p{Z}]/u.test(character) ? codePoint(character) : `${JSON.stringify(character)} (${codePoint(character)})`;
}

/** Makes the white space of a line visible: tabs as →, other invisible characters as code points, trailing spaces as ·. */
export function visibleLine(line: string): string {
  return line
    .replace(/ +$/u, (spaces) => '·'.repeat(spaces.length))
    .replace(INVISIBLE, (character) => (character === '\t' ? '→' : `<${codePoint(character)}>`));
}
