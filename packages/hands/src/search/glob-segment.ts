import { literalEnd } from './brace-expansion.ts';

/** One character of a name. */
type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean };

/** What one name of a path must look like. */
export interface Segment {
  /** The very name, where nothing in it is a wildcard. */
  readonly name: string | undefined;
  matches(name: string): boolean;
}

function classToken(text: string): Token {
  const negated = text[1] === '!' || text[1] === '^';
  const members = Array.from(text.slice(negated ? 2 : 1, -1));
  const ranges: Array<readonly [string, string]> = [];
  for (let at = 0; at < members.length; at += 1) {
    const [from = '', dash, to] = members.slice(at, at + 3);
    const isRange = dash === '-' && to !== undefined;
    ranges.push([from, isRange ? to : from]);
    if (isRange) at += 2;
  }
  return { kind: 'one', accepts: (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated };
}

function tokens(text: string): { tokens: Token[]; name: string | undefined } {
  const result: Token[] = [];
  let name: string | undefined = '';
  for (let at = 0; at < text.length;) {
    // By code points, so that `?` takes a whole one.
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const end = Math.max(literalEnd(text, at), at + character.length);
    if (character === '*' || character === '?' || character === '[') {
      name = undefined;
      if (character === '[') result.push(classToken(text.slice(at, end)));
      else if (character === '?') result.push({ kind: 'one', accepts: () => true });
      else if (result.at(-1)?.kind !== 'star') result.push({ kind: 'star' });
    } else {
      const wanted = character === '\\' ? text.slice(at + 1, end) : character;
      if (name !== undefined) name += wanted;
      result.push({ kind: 'one', accepts: (other) => other === wanted });
    }
    at = end;
  }
  return { tokens: result, name };
}

/**
 * Matches items against wanted ones of which some stand for any number. Going back to the last such
 * one is enough, so this takes at most the product of both lengths; a regular expression could take for ever.
 */
export function matchSequence<Item, Want>(
  items: readonly Item[],
  wanted: readonly Want[],
  isMany: (want: Want) => boolean,
  accepts: (want: Want, item: Item) => boolean,
): boolean {
  let item = 0;
  let want = 0;
  let many = -1;
  let resume = 0;
  while (item < items.length) {
    const next = wanted[want];
    if (next !== undefined && isMany(next)) {
      many = want;
      resume = item;
      want += 1;
    } else if (next !== undefined && accepts(next, items[item] as Item)) {
      item += 1;
      want += 1;
    } else if (many !== -1) {
      resume += 1;
      item = resume;
      want = many + 1;
    } else return false;
  }
  return wanted.slice(want).every(isMany);
}

const isStar = (token: Token): boolean => token.kind === 'star';
const acceptsOne = (token: Token, character: string): boolean => token.kind === 'one' && token.accepts(character);

/** Compiles the part of a glob between two slashes. */
export function compileSegment(text: string): Segment {
  const { tokens: wanted, name } = tokens(text);
  if (name !== undefined) return { name, matches: (other) => other === name };
  // The forms that nearly every glob has: all names, and an ending.
  const ending = /^\*+([^*?[\\]*)$/u.exec(text)?.[1];
  if (ending !== undefined) return { name, matches: (other) => other.endsWith(ending) };
  return { name, matches: (other) => matchSequence(Array.from(other), wanted, isStar, acceptsOne) };
}
