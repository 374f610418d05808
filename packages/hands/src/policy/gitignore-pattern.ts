/** A wildcard, or one character of a name. */
type Token = 'star' | ((character: string) => boolean);
/** The pattern of one name of a path; `any` stands for any number of names. */
type Segment =
  | 'any'
  | {
      /** The name, if it has no wildcard. */
      readonly name?: string | undefined;
      /** The end of the name, if a star and text is all of it: the most frequent form. */
      readonly ending?: string | undefined;
      readonly tokens: readonly Token[];
    };

interface Parsed {
  readonly segments: readonly Segment[];
  /** Whether it matches only folders. */
  readonly folder: boolean;
}

/** The classes of git's wildmatch: ASCII only. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /^[0-9A-Za-z]$/u,
  alpha: /^[A-Za-z]$/u,
  blank: /^[ \t]$/u,
  cntrl: /^(?![\x80-\x9f])\p{Cc}$/u,
  digit: /^\d$/u,
  graph: /^[!-~]$/u,
  lower: /^[a-z]$/u,
  print: /^[ -~]$/u,
  punct: /^[!-/:-@[-`{-~]$/u,
  space: /^[ \t\n\r]$/u,
  upper: /^[A-Z]$/u,
  xdigit: /^[0-9A-Fa-f]$/u,
};

/** Both cases of a character, for file systems that ignore case. */
const cases = (character: string): readonly string[] => [character, character.toLowerCase(), character.toUpperCase()];

function literal(wanted: string, ignoreCase: boolean): Token {
  if (!ignoreCase) return (character) => character === wanted;
  const [lower, upper] = [wanted.toLowerCase(), wanted.toUpperCase()];
  return (character) => character === wanted || character.toLowerCase() === lower || character.toUpperCase() === upper;
}

/** Reads a `[:name:]` at `start`; `none` if it is something else, undefined if it does not end, or its name is not known. */
function classAt(text: readonly string[], start: number): { class: RegExp; end: number } | 'none' | undefined {
  const end = text.indexOf(']', start + 2);
  if (end === -1) return undefined;
  if (end <= start + 2 || text[end - 1] !== ':') return 'none';
  const name = text.slice(start + 2, end - 1).join('');
  const known = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  return known && { class: known, end };
}

/** A range, a class or a character in brackets. */
interface Member {
  readonly accepts: (character: string) => boolean;
  /** Where its last character is. */
  readonly end: number;
  /** The character, with which a range may begin. */
  readonly character?: string;
}

/** Reads a member of brackets at `at`; undefined if it is an unknown class. @param from the character before it, if that may begin a range */
function memberAt(text: readonly string[], at: number, from: string | undefined): Member | undefined {
  const given = text[at] ?? '';
  if (given === '-' && from !== undefined && at + 1 < text.length && text[at + 1] !== ']') {
    const end = at + (text[at + 1] === '\\' ? 2 : 1);
    const to = text[end] ?? '';
    return { accepts: (character) => character >= from && character <= to, end };
  }
  const named = given === '[' && text[at + 1] === ':' ? classAt(text, at) : 'none';
  if (named === undefined) return undefined;
  if (named !== 'none') return { accepts: (character) => named.class.test(character), end: named.end };
  const end = given === '\\' ? at + 1 : at;
  const wanted = text[end] ?? '';
  return { accepts: (character) => character === wanted, end, character: wanted };
}

/** Reads a `[…]` at `start`; undefined if it does not end, or names an unknown class: then the pattern matches nothing. */
function bracket(text: readonly string[], start: number, ignoreCase: boolean): { accepts: Token; end: number } | undefined {
  const negated = text[start + 1] === '!' || text[start + 1] === '^';
  const members: Array<(character: string) => boolean> = [];
  let from: string | undefined;
  const first = start + (negated ? 2 : 1);
  let at = first;
  for (; at < text.length && (at === first || text[at] !== ']'); at += 1) {
    const member = memberAt(text, at, from);
    if (member === undefined) return undefined;
    members.push(member.accepts);
    from = member.character;
    at = member.end;
  }
  if (at >= text.length) return undefined;
  const isMember = (character: string): boolean => members.some((accepts) => (ignoreCase ? cases(character).some(accepts) : accepts(character)));
  return { accepts: (character) => isMember(character) !== negated, end: at };
}

/** Cuts spaces at the end, as git does: an escaped one stays. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end -= 1;
  if (end === text.length) return text;
  let slashes = 0;
  while (slashes < end && text[end - 1 - slashes] === '\\') slashes += 1;
  return text.slice(0, slashes % 2 === 1 ? end + 1 : end);
}

/** One name of a pattern, while it is read. */
class SegmentReader {
  readonly #ignoreCase: boolean;
  #tokens: Token[] = [];
  #name: string | undefined = '';
  #ending: string | undefined;
  #stars = 0;

  constructor(ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase;
  }

  star(): void {
    this.#stars += 1;
    this.#ending = this.#tokens.length === 0 || (this.#stars > 1 && this.#ending === '') ? '' : undefined;
    this.#name = undefined;
    if (this.#tokens.at(-1) !== 'star') this.#tokens.push('star');
  }

  /** One character of several. */
  accept(token: Token): void {
    [this.#name, this.#ending] = [undefined, undefined];
    this.#tokens.push(token);
  }

  character(character: string): void {
    if (this.#name !== undefined) this.#name += character;
    if (this.#ending !== undefined) this.#ending += character;
    this.#tokens.push(literal(character, this.#ignoreCase));
  }

  /** Returns the name, and begins another one. */
  take(): Segment {
    const [name, ending, tokens] = [this.#name, this.#ending, this.#tokens];
    const isAny = this.#stars > 1 && tokens.length === 1 && tokens[0] === 'star';
    [this.#tokens, this.#name, this.#ending, this.#stars] = [[], '', undefined, 0];
    if (isAny) return 'any';
    return this.#ignoreCase ? { name: undefined, ending: undefined, tokens } : { name, ending, tokens };
  }
}

/** Whether a backslash has nothing to escape: it is at the end, or before the final slash. */
function isHanging(text: readonly string[], at: number): boolean {
  const last = text.length - 1;
  return at === last || (at + 1 === last && text[last] === '/');
}

/** Splits a pattern into names, as it is written; undefined if it matches nothing. */
function segmentsOf(text: readonly string[], ignoreCase: boolean): Segment[] | undefined {
  const segments: Segment[] = [];
  const segment = new SegmentReader(ignoreCase);
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '*') segment.star();
    else if (character === '?') segment.accept(() => true);
    else if (character === '[') {
      const read = bracket(text, at, ignoreCase);
      if (read === undefined) return undefined;
      segment.accept(read.accepts);
      at = read.end;
    } else {
      if (character === '\\') {
        if (isHanging(text, at)) return undefined;
        at += 1;
      }
      const meant = text[at] ?? '';
      if (meant !== '/') segment.character(meant);
      else if (at > 0 && at < text.length - 1) segments.push(segment.take());
    }
  }
  segments.push(segment.take());
  return segments;
}

/** Parses a pattern; undefined if it matches nothing. */
function parse(pattern: string, ignoreCase: boolean): Parsed | undefined {
  const text = Array.from(trimmed(pattern));
  const segments = segmentsOf(text, ignoreCase);
  if (segments === undefined) return undefined;
  const folder = text.length > 1 && text.at(-1) === '/';
  // A pattern without a slash, other than a final one, matches a name at any depth.
  if (!text.slice(0, -1).includes('/')) {
    if (segments[0] === 'any') segments[0] = { ending: '', tokens: ['star'] };
    segments.unshift('any');
  }
  // `a/**` matches what is in the folder, not the folder itself.
  if (segments.at(-1) === 'any') segments.push({ ending: '', tokens: ['star'] });
  return { segments, folder };
}

/** Matches one name. Goes back only to the last star: the time is at most the product of both lengths. */
function matchesName(tokens: readonly Token[], characters: readonly string[]): boolean {
  let [at, token, star, resume] = [0, 0, -1, 0];
  while (at < characters.length) {
    const next = tokens[token];
    if (next === 'star') {
      [star, resume] = [token, at];
      token += 1;
    } else if (next?.(characters[at] ?? '') === true) {
      at += 1;
      token += 1;
    } else if (star !== -1) {
      resume += 1;
      [at, token] = [resume, star + 1];
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === 'star');
}

function accepts({ name, ending, tokens }: Exclude<Segment, 'any'>, given: string): boolean {
  if (name !== undefined) return given === name;
  if (ending !== undefined) return given.endsWith(ending);
  return matchesName(tokens, Array.from(given));
}

/** Whether a pattern matches a path, or, unless it must be the whole, a folder that contains it. Follows all readings at once, so no path takes longer than its length. */
function matchesPath({ segments, folder }: Parsed, path: string, whole: boolean): boolean {
  const names = path.split('/').filter((name) => name !== '');
  const isFolder = path.endsWith('/');
  let active = new Set([0]);
  const enter = (states: Set<number>, state: number): void => {
    states.add(state);
    if (segments[state] === 'any') enter(states, state + 1);
  };
  enter(active, 0);
  for (const [index, name] of names.entries()) {
    const next = new Set<number>();
    for (const state of active) {
      const segment = segments[state];
      if (segment === 'any') next.add(state);
      else if (segment !== undefined && accepts(segment, name)) enter(next, state + 1);
    }
    // States stay while `any` is active.
    for (const state of next) if (segments[state] === 'any') enter(next, state);
    const isLast = index === names.length - 1;
    if (next.has(segments.length) && (isLast ? !folder || isFolder : !whole)) return true;
    if (next.size === 0) return false;
    active = next;
  }
  return false;
}

/** Returns a text that a path must contain to match a pattern, {@link simplified}; empty if unknown. */
function literalOf(pattern: string): string {
  if (!/^[\w./*-]+$/u.test(pattern)) return '';
  // Stars also stand for no folder at all.
  const parts = pattern.split('*').map((part) => part.replaceAll(/^\/+|\/+$/gu, ''));
  return simplified(parts.reduce((longest, part) => (part.length > longest.length ? part : longest), ''));
}

/** Returns the folder of a pattern such as `/a/b/**`, with a slash at its end; undefined for others. */
const folderOf = (pattern: string): string | undefined => /^\/?(?<folder>(?:[\w.-]+\/)+)\*\*$/u.exec(pattern)?.groups?.['folder'];

/** In one case. Through capitals, as some letters share only these: `ı` and `ſ` count as `i` and `s` where case is ignored. */
const simplified = (text: string): string => text.toUpperCase().toLowerCase();

/**
 * Compiles a line of a .gitignore file without `!`. A regular expression for `**` between wildcards can take exponential time;
 * this takes at most the product of the lengths of pattern and path.
 *
 * @param whole whether it must match the path itself: then it does not match for a folder that contains it
 * @returns whether it matches a path, relative to the folder of the file; a final slash marks a folder
 */
export function gitignoreMatcher(pattern: string, ignoreCase: boolean, whole = false): (path: string) => boolean {
  const needed = literalOf(pattern);
  const folder = ignoreCase ? undefined : folderOf(pattern);
  let parsed: Parsed | undefined;
  let isParsed = false;
  return (path) => {
    // Most paths have nothing to do with most rules.
    if (path === '' || (needed !== '' && !simplified(path).includes(needed))) return false;
    if (folder !== undefined && path.startsWith(folder) && path.length > folder.length && path[folder.length] !== '/') return true;
    if (!isParsed) [parsed, isParsed] = [parse(pattern, ignoreCase), true];
    return parsed !== undefined && matchesPath(parsed, path, whole);
  };
}
