import { addedEnd, lineEndStrip } from './line-end-space.ts';
import { plainOf, TYPOGRAPHIC_QUOTE } from './tiers.ts';

/** The position of a quote: within a word, before one, or behind one. An apostrophe and a closing quote are the same character. */
type Stand = 'within' | 'before' | 'behind';

const WORD = /[\p{L}\p{N}]/u;

function standOf(text: string, index: number): Stand {
  const [before, after] = [text[index - 1] ?? ' ', text[index + 1] ?? ' '];
  if (WORD.test(before) && WORD.test(after)) return 'within';
  return /[\s([{<=:,]/u.test(before) && !/\s/u.test(after) ? 'before' : 'behind';
}

/** Whether a text may have a character in another form than a file. */
function hasForms(character: string): boolean {
  return plainOf(character) !== undefined || character === '"' || character === "'";
}

/** The file's characters for each given character, by character and position. */
class Observations {
  readonly #byStand = new Map<string, Set<string>>();
  readonly #byCharacter = new Map<string, Set<string>>();
  /** Whether every given typographic quote is a plain one in the file. */
  plainQuotes: boolean | undefined;

  add(text: string, index: number, character: string, file: string): void {
    for (const [map, key] of [
      [this.#byStand, character + standOf(text, index)],
      [this.#byCharacter, character],
    ] as const) {
      const known = map.get(key);
      if (known === undefined) map.set(key, new Set([file]));
      else known.add(file);
    }
    if (TYPOGRAPHIC_QUOTE.test(character)) this.plainQuotes = (this.plainQuotes ?? true) && file === plainOf(character);
  }

  /** Returns the file's form of a character of the new text; undefined if it is ambiguous. */
  fileCharacter(text: string, index: number, character: string): string | undefined {
    if (!hasForms(character)) return character;
    const [same, any] = [this.#byStand.get(character + standOf(text, index)), this.#byCharacter.get(character)];
    if (same !== undefined) return single(same);
    if (any === undefined) return TYPOGRAPHIC_QUOTE.test(character) && this.plainQuotes === true ? plainOf(character) : character;
    if (plainOf(character) !== undefined) return single(any);
    // A typographic file uses different characters for a plain quote that opens and one that closes.
    const stands = (['before', 'behind'] as const).flatMap((stand) => [...(this.#byStand.get(character + stand) ?? [])]);
    return stands.every((file) => file === character) ? character : undefined;
  }
}

function single(characters: ReadonlySet<string>): string | undefined {
  const [only] = characters;
  return characters.size === 1 ? only : undefined;
}

const BLANK = /[ \t\v\f\r]/u;

/** Returns the line end behind white space; the same index if there is none, or no such line end. */
function blankToLineEnd(text: string, index: number): number {
  let end = index;
  while (end < text.length && (BLANK.test(text[end] ?? '') || plainOf(text[end] ?? '') === ' ')) end += 1;
  return end === text.length || text[end] === '\n' ? end : index;
}

/** Characters of a file that stand for given ones. */
interface Counterpart {
  /** How many given characters it stands for. */
  readonly length: number;
  readonly piece: string;
}

/** Compares characters, of which one may be the typographic form of several plain ones. Returns undefined if they are different. */
function counterpart(given: string, index: number, file: string, at: number): Counterpart | undefined {
  const [own, other] = [given[index] ?? '', file[at] ?? ''];
  const [plain, otherPlain] = [plainOf(own) ?? own, plainOf(other) ?? other];
  const length = plain.length > 1 ? 1 : otherPlain.length;
  const piece = file.slice(at, at + (otherPlain.length > 1 ? 1 : plain.length));
  return plain === otherPlain || plain === piece || given.slice(index, index + length) === otherPlain ? { length, piece } : undefined;
}

/** Rewrites the given text with the characters of the file. Returns undefined if the two texts cannot be aligned. */
function align(given: string, file: string): { written: string; seen: Observations } | undefined {
  const seen = new Observations();
  let written = '';
  let at = 0;
  for (let index = 0; index < given.length;) {
    const [own, other] = [given[index] ?? '', file[at] ?? ''];
    if (own === other) {
      if (hasForms(own)) seen.add(given, index, own, other);
      written += other;
      index += 1;
      at += 1;
      continue;
    }
    const ownEnd = blankToLineEnd(given, index);
    const otherEnd = blankToLineEnd(file, at);
    if (ownEnd > index || otherEnd > at) {
      written += given.slice(index, ownEnd);
      index = ownEnd;
      at = otherEnd;
      continue;
    }
    // Nothing of a file that has ended corresponds to the rest.
    const same = other === '' ? undefined : counterpart(given, index, file, at);
    if (same === undefined) return undefined;
    if (same.length === 1) seen.add(given, index, own, same.piece);
    written += same.piece;
    index += same.length;
    at += same.piece.length;
  }
  return { written, seen };
}

const DASH_LIKE: ReadonlySet<string> = new Set(['-', '...']);

/** The dashes and ellipses that a text has in both kinds: it tells them apart, so each is meant as given. */
function bothKinds(text: string): ReadonlySet<string> {
  const plain = new Set(Array.from(text, (character) => plainOf(character) ?? ''));
  return new Set([...DASH_LIKE].filter((one) => plain.has(one) && text.includes(one)));
}

/** Writes a range of the new text in the file's style; undefined if the style is ambiguous. */
export type FollowFile = (start: number, end: number) => string | undefined;

/**
 * Learns the file's quotes, dashes and spaces from a text that matched with other characters, and applies them to
 * new text. Unchanged lines get the file's text.
 * @param given the old text, with LF
 * @param file the matched text of the file, with LF
 */
export function followFile(given: string, file: string, newText: string): FollowFile {
  const aligned = align(given, file);
  if (aligned === undefined) return () => undefined;
  const { written, seen } = aligned;
  const strip = lineEndStrip(given, file, newText);
  if (written === given && strip === undefined) return (start, end) => newText.slice(start, end);
  const [writtenLines, fileLines] = [written.split('\n'), file.split('\n')];
  const lineOf = new Map<string, Set<string>>();
  for (const [index, line] of given.split('\n').entries()) {
    // New text without the white space that the old one has at its line ends has empty lines of its own.
    if (strip?.keepsNew === true && line.trim() === '') continue;
    const fileLine = fileLines[index] ?? '';
    const now = addedEnd(line, fileLine) === '' ? writtenLines[index] : fileLine;
    lineOf.set(line, (lineOf.get(line) ?? new Set()).add(now ?? line));
  }
  const kinds = bothKinds(newText);
  const textEnd = newText.trimEnd().length;
  const writeCharacters = (start: number, end: number): string | undefined => {
    let text = '';
    for (let index = start; index < end; index += 1) {
      const own = newText[index] ?? '';
      const character = kinds.has(plainOf(own) ?? '') ? own : seen.fileCharacter(newText, index, own);
      if (character === undefined) return undefined;
      text += character;
    }
    return text;
  };
  /** Writes a line of the new text, or a part of one. */
  const writeLine = (start: number, end: number): string | undefined => {
    const line = newText.slice(start, end);
    const isLineEnd = end === newText.length || newText[end] === '\n';
    const isWhole = (start === 0 || newText[start - 1] === '\n') && isLineEnd;
    const old = isWhole ? single(lineOf.get(line) ?? new Set()) : undefined;
    if (old !== undefined) return old;
    const isTextEnd = isLineEnd || blankToLineEnd(newText, end) > end;
    const stripped = strip !== undefined && isTextEnd ? strip.apply(line, end >= textEnd) : line;
    return stripped === undefined ? undefined : writeCharacters(start, start + stripped.length);
  };
  return (start, givenEnd) => {
    const end = Math.min(givenEnd, newText.length);
    let text = '';
    for (let from = start; from < end;) {
      const next = newText.indexOf('\n', from);
      const lineEnd = Math.min(end, next === -1 ? newText.length : next);
      const line = writeLine(from, lineEnd);
      if (line === undefined) return undefined;
      text += lineEnd < end ? `${line}\n` : line;
      from = lineEnd + 1;
    }
    return text;
  };
}
