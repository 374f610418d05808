// Node 22 has no `RegExp.escape`.

const SYNTAX = /[\\^$.*+?()[\]{}|/]/u;
const CONTROLS: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\v': '\\v', '\f': '\\f', '\r': '\\r' };

const byNumber = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
};

/** Returns a pattern that matches exactly a text, anywhere in a pattern. */
export function olderEscapePattern(text: string): string {
  return text.replace(/^[0-9A-Za-z]|[^\w]/gu, (character, at: number) => {
    if (at === 0 && /\w/u.test(character)) return byNumber(character);
    if (SYNTAX.test(character)) return `\\${character}`;
    return CONTROLS[character] ?? (/[,\-=<>#&!%:;@~'`"\s]/u.test(character) ? byNumber(character) : character);
  });
}
