/** Words of languages that are before a name, and are none. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'abstract as async await break case catch class const constructor continue debugger def default defer del delete do elif else enum export extends false ' +
    'final finally fn for from func function get go if impl implements import in instanceof interface is lambda let match mod module mut namespace new nil none ' +
    'not null of or and override package pass private protected pub public raise readonly return self set static struct super switch this throw trait true try ' +
    'type typeof undefined union unsafe use using var void where while with yield int char bool float double long short unsigned signed auto string number boolean'
  ).split(' '),
);

/** A name on a line. */
export interface LineName {
  readonly name: string;
  /** From 0, in UTF-16 units. */
  readonly column: number;
}

const NAME = /[\p{L}_$#][\p{L}\p{N}_$]*/gu;
/** A name with what it is a member of. */
const CHAIN = /[\p{L}_$#][\p{L}\p{N}_$]*(?:(?:\.|\?\.|::|->)[\p{L}_$#][\p{L}\p{N}_$]*)*/gu;

const isName = (word: string): boolean => !KEYWORDS.has(word);

/** The names on a line, without words of the language. */
export function namesOn(line: string): LineName[] {
  return Array.from(line.matchAll(NAME), ({ 0: name, index }) => ({ name, column: index })).filter(({ name }) => isName(name));
}

/** The name that a part of a line means: the member in `context.header(name)`, the function in `function run`. */
export function nameIn(line: string, part: string): LineName | undefined {
  const from = line.indexOf(part);
  if (from === -1 || part === '') return undefined;
  for (const { 0: chain, index } of part.matchAll(CHAIN)) {
    const last = namesOn(chain).at(-1);
    if (last !== undefined) return { name: last.name, column: from + index + last.column };
  }
  // A word of one language is a name in another: `function go`.
  const word = [...part.matchAll(NAME)].at(-1);
  return word === undefined ? undefined : { name: word[0], column: from + word.index };
}
