import { SynapseError } from '@synapse/protocol';
import { expandBraces, literalEnd } from './brace-expansion.ts';

/** A wildcard or one character of a name. */
type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean };

/** A pattern for one name of a path. */
interface Segment {
  /** The literal name, if it has no wildcard. */
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
    // By code points, so that `?` matches a whole one.
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
 * Matches items against a pattern with wildcards for any number of items. Backtracks only to the last wildcard,
 * so the time is at most the product of both lengths; a regular expression could take exponential time.
 */
function matchSequence<Item, Want>(
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
function compileSegment(text: string): Segment {
  const { tokens: wanted, name } = tokens(text);
  if (name !== undefined) return { name, matches: (other) => other === name };
  // Fast path for the most frequent forms: all names, and a suffix.
  const ending = /^\*+([^*?[\\]*)$/u.exec(text)?.[1];
  if (ending !== undefined) return { name, matches: (other) => other.endsWith(ending) };
  return { name, matches: (other) => matchSequence(Array.from(other), wanted, isStar, acceptsOne) };
}

/** Names at any depth: `**`. */
const ANY_DEPTH = Symbol('**');
type Part = Segment | typeof ANY_DEPTH;

/** Selects files by their path below the searched folder. */
export interface GlobFilter {
  /** Folders that every wanted path begins with. The walk starts there. */
  readonly base: readonly string[];
  /** Globs for the last name, for ripgrep; empty if any name may match. */
  readonly names: readonly string[];
  /** Globs for names that are excluded at any depth, so that ripgrep does not enter such folders. */
  readonly excludedNames: readonly string[];
  /** @param below names below {@link base} */
  matches(below: readonly string[]): boolean;
}

/** Patterns that ripgrep and this code interpret alike. Only this code handles other patterns: `?` is a byte for ripgrep, a character here. */
const PLAIN_NAME = /^[\w.\-*]+$/u;
const PLAIN_EXCLUDED = /^[\w.\-*]+\/?$/u;
/** Maximum number of globs. */
const MAX_GLOBS = 32;
const MAX_CHARACTERS = 1_000;

interface Alternative {
  readonly parts: readonly Part[];
  readonly anywhere: boolean;
  readonly last: string;
  /** As a glob for ripgrep that excludes it: a folder has a slash at its end, so that files of its name stay. */
  readonly asExcluded: string;
}

const ANY_NAME = compileSegment('*');

function compileAlternative(glob: string): Alternative {
  const texts = glob.split('/').filter((text) => text !== '' && text !== '.');
  if (texts.includes('..')) {
    throw new SynapseError('outside_workspace', 'The glob leaves the folder that is searched.', {
      hint: 'Give the folder as path, and a glob without "..".',
    });
  }
  // As in .gitignore: a glob without a slash, other than a final one, matches a name at any depth.
  const anywhere = texts.length === 1 && !glob.startsWith('/') && !glob.startsWith('./');
  const parts: Part[] = texts.map((text) => (text === '**' ? ANY_DEPTH : compileSegment(text)));
  if (anywhere) parts.unshift(ANY_DEPTH);
  const isFolder = glob.endsWith('/');
  if (isFolder) parts.push(ANY_DEPTH);
  // `**` matches the contents of a folder at any depth, not the folder itself.
  if (parts.at(-1) === ANY_DEPTH) parts.push(ANY_NAME);
  const name = texts.at(-1) ?? '**';
  return { parts, anywhere, last: isFolder ? '**' : name, asExcluded: isFolder ? `${name}/` : name };
}

const isAnyDepth = (part: Part): boolean => part === ANY_DEPTH;
const acceptsName = (part: Part, name: string): boolean => part !== ANY_DEPTH && part.matches(name);

function matchesPath({ parts }: Alternative, path: readonly string[]): boolean {
  return matchSequence(path, parts, isAnyDepth, acceptsName);
}

function leadingNames({ parts }: Alternative): string[] {
  const names: string[] = [];
  for (const part of parts.slice(0, -1)) {
    if (part === ANY_DEPTH || part.name === undefined) break;
    names.push(part.name);
  }
  return names;
}

function commonStart(lists: ReadonlyArray<readonly string[]>): string[] {
  const [first = [], ...others] = lists;
  const differs = first.findIndex((name, index) => others.some((other) => other[index] !== name));
  return differs === -1 ? [...first] : first.slice(0, differs);
}

function alternatives(globs: readonly string[]): Alternative[] {
  return globs.flatMap(expandBraces).map(compileAlternative);
}

/**
 * Compiles globs. A glob that begins with `!` excludes matching files and whole folders.
 * If all globs exclude, everything else is wanted.
 *
 * @throws SynapseError `invalid_arguments` for a glob that is malformed or expands to too many, `outside_workspace` for `..`
 */
export function compileGlobs(globs: readonly string[]): GlobFilter {
  if (globs.length > MAX_GLOBS || globs.some((glob) => glob.length > MAX_CHARACTERS)) {
    throw new SynapseError('invalid_arguments', `At most ${MAX_GLOBS} globs of ${MAX_CHARACTERS} characters can be given.`);
  }
  const wanted = alternatives(globs.filter((glob) => !glob.startsWith('!')));
  const excluded = alternatives(globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)));
  // A character is any number of bytes: whether it is one, is decided here.
  const lastNames = [...new Set(wanted.map(({ last }) => last.replaceAll('?', '*')))];
  const allPlain = lastNames.every((name) => PLAIN_NAME.test(name) && !/^\*+$/u.test(name));
  const base = commonStart(wanted.map(leadingNames));
  return {
    base,
    names: allPlain ? lastNames : [],
    excludedNames: excluded.filter(({ anywhere, asExcluded }) => anywhere && PLAIN_EXCLUDED.test(asExcluded)).map(({ asExcluded }) => asExcluded),
    matches: (below) => {
      const path = base.length === 0 ? below : [...base, ...below];
      return (
        (wanted.length === 0 || wanted.some((one) => matchesPath(one, path))) &&
        !excluded.some((one) => path.some((_, index) => matchesPath(one, path.slice(0, index + 1))))
      );
    },
  };
}

/**
 * Returns a fast check of paths in latin1: false only if the last name matches none of the globs of {@link GlobFilter.names}. It looks for the
 * texts between wildcards in their order: a pattern with several `*` would take hours on a long name.
 */
export function pathsEndingIn(names: readonly string[]): (path: string) => boolean {
  if (names.length === 0) return () => true;
  const checks = names.map((name) => {
    const [first = '', ...texts] = name.split(/[*?]+/u);
    const last = texts.pop();
    return (path: string): boolean => {
      const start = path.lastIndexOf('/') + 1;
      if (last === undefined) return path.length - start === first.length && path.endsWith(first);
      const end = path.length - last.length;
      let at = start + first.length;
      if (at > end || !path.endsWith(last) || !path.startsWith(first, start)) return false;
      return texts.every((text) => {
        const found = path.indexOf(text, at);
        at = found + text.length;
        return found !== -1 && at <= end;
      });
    };
  });
  return (path) => checks.some((check) => check(path));
}

/** Returns texts of which one is the end of each path that matches {@link GlobFilter.names}; empty if it may have any end. */
export function endingsOf(names: readonly string[]): readonly string[] {
  const endings = names.map((name) => name.slice(1 + Math.max(name.lastIndexOf('*'), name.lastIndexOf('?'))));
  return endings.includes('') ? [] : endings;
}

/** Whether a path contains a hidden name. A type filter makes ripgrep report hidden files again, so they are filtered here. */
export function isHiddenBelow(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith('.'));
}
