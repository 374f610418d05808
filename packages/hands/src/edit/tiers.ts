/** Which of two positions to use if a view dropped text between them. */
type Side = 'before' | 'after';

/** A part of a text that differs in a view. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A normalized text with a mapping to the positions of its source. A match in a view can thus be
 * changed in the source, and nothing else changes.
 */
export interface View {
  readonly text: string;
  /** Position in the source; undefined inside a changed part, which has no inner positions. */
  toSource(position: number, side: Side): number | undefined;
  /** Position in the view. For a changed part, its start (`before`) or end (`after`). */
  fromSource(position: number, side: Side): number;
}

/** Creates the view that changes nothing. */
export function identityView(text: string): View {
  return { text, toSource: (position) => position, fromSource: (position) => position };
}

/** Returns the index of the last of the ascending numbers that is at most `limit`; -1 if there is none. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Positions, by index, of the parts at which the source and the view diverge. */
interface Pieces {
  readonly sourceStart: number[];
  readonly sourceEnd: number[];
  readonly viewStart: number[];
  readonly viewEnd: number[];
}

function toSource(pieces: Pieces, position: number, side: Side): number | undefined {
  if (side === 'after') {
    const index = lastAtMost(pieces.viewStart, position);
    const end = pieces.viewEnd[index] ?? 0;
    if (index === -1 || position >= end) return (pieces.sourceEnd[index] ?? 0) + position - end;
    return position === pieces.viewStart[index] ? pieces.sourceStart[index] : undefined;
  }
  const index = lastAtMost(pieces.viewEnd, position - 1) + 1;
  const start = pieces.viewStart[index];
  if (start === undefined) return (pieces.sourceEnd[index - 1] ?? 0) + position - (pieces.viewEnd[index - 1] ?? 0);
  if (position <= start) return (pieces.sourceStart[index] ?? 0) + position - start;
  return position === pieces.viewEnd[index] ? pieces.sourceEnd[index] : undefined;
}

function fromSource(pieces: Pieces, position: number, side: Side): number {
  const index = lastAtMost(pieces.sourceStart, side === 'before' ? position : position - 1);
  const end = pieces.sourceEnd[index] ?? 0;
  if (index === -1 || position >= end) return (pieces.viewEnd[index] ?? 0) + position - end;
  return (side === 'before' ? pieces.viewStart[index] : pieces.viewEnd[index]) ?? position;
}

/** Creates a view of a view. Returns the same view if nothing changes. */
export function rewrite(base: View, changes: Iterable<Change>): View {
  const pieces: Pieces = { sourceStart: [], sourceEnd: [], viewStart: [], viewEnd: [] };
  const texts: string[] = [];
  let done = 0;
  let length = 0;
  for (const { start, end, text } of changes) {
    texts.push(base.text.slice(done, start), text);
    length += start - done;
    // A replacement of the same length does not move the text after it.
    if (text.length !== end - start) {
      pieces.sourceStart.push(start);
      pieces.sourceEnd.push(end);
      pieces.viewStart.push(length);
      pieces.viewEnd.push(length + text.length);
    }
    length += text.length;
    done = end;
  }
  if (texts.length === 0) return base;
  texts.push(base.text.slice(done));
  return {
    text: texts.join(''),
    toSource(position, side) {
      const inner = toSource(pieces, position, side);
      return inner === undefined ? undefined : base.toSource(inner, side);
    },
    fromSource: (position, side) => fromSource(pieces, base.fromSource(position, side), side),
  };
}

/** The match tiers, strictest first. Each tier ignores what the previous ones ignore, and more. */
export const TIERS = ['exact', 'unicode', 'trailing_whitespace', 'indentation'] as const;
export type Tier = (typeof TIERS)[number];

/** What each tier ignores, worded for the model. */
export const TIER_MEANING: Record<Tier, string> = {
  exact: 'exactly',
  unicode: 'apart from Unicode punctuation or spaces',
  trailing_whitespace: 'apart from white space at line ends',
  indentation: 'with other indentation, which new_text was given too',
};

/** Typographic characters that models write, or read, as their ASCII equivalents. */
export const PLAIN: ReadonlyArray<readonly [string, string]> = [
  ["'", '\u2018\u2019\u201a\u201b\u2032\u02bc\uff07'],
  ['"', '\u201c\u201d\u201e\u201f\u2033\uff02'],
  ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d'],
  [' ', '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'],
  ['...', '\u2026'],
];
const PLAIN_OF: ReadonlyMap<string, string> = new Map(PLAIN.flatMap(([plain, all]) => Array.from(all, (one) => [one, plain] as const)));
const TYPOGRAPHIC = new RegExp(`[${Array.from(PLAIN_OF.keys()).join('')}]`, 'gu');

/** Quotes that are not ASCII. */
export const TYPOGRAPHIC_QUOTE = new RegExp(
  `[${PLAIN.slice(0, 2)
    .map(([, all]) => all)
    .join('')}]`,
  'u',
);

/** Returns the ASCII equivalent of a typographic character; undefined for any other. */
export function plainOf(character: string): string | undefined {
  return PLAIN_OF.get(character);
}

const SPACE = 0x20;

/** Whether a character is white space within a line. The Unicode tier has replaced all other kinds. */
function isBlank(unit: number): boolean {
  return unit === SPACE || unit === 0x09 || unit === 0x0b || unit === 0x0c || unit === 0x0d;
}

function* lineFeeds(text: string): Generator<Change> {
  for (let index = text.indexOf('\r\n'); index !== -1; index = text.indexOf('\r\n', index + 2)) {
    yield { start: index, end: index + 2, text: '\n' };
  }
}

function* plainCharacters(text: string): Generator<Change> {
  for (const { 0: character, index } of text.matchAll(TYPOGRAPHIC)) {
    yield { start: index, end: index + 1, text: PLAIN_OF.get(character) ?? character };
  }
}

// Loops, not expressions: /[ \t]+$/ takes quadratic time on a long run of spaces within a line.
function* trailingSpace(text: string): Generator<Change> {
  for (let end = 0; end <= text.length; end += 1) {
    const next = text.indexOf('\n', end);
    end = next === -1 ? text.length : next;
    let start = end;
    while (start > 0 && isBlank(text.charCodeAt(start - 1))) start -= 1;
    if (start < end) yield { start, end, text: '' };
  }
}

function* leadingSpace(text: string): Generator<Change> {
  for (let start = 0; start < text.length;) {
    const end = start + indentOf(text, start).length;
    if (end > start) yield { start, end, text: '' };
    const next = text.indexOf('\n', end);
    start = next === -1 ? text.length : next + 1;
  }
}

/** Returns the white space at a position. */
export function indentOf(text: string, start = 0): string {
  let end = start;
  while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
  return text.slice(start, end);
}

/** The normalization that each tier adds to the view of the previous one. */
export const NORMALIZE: Record<Tier, (base: View) => View> = {
  exact: (base) => rewrite(base, lineFeeds(base.text)),
  unicode: (base) => rewrite(base, plainCharacters(base.text)),
  trailing_whitespace: (base) => rewrite(base, trailingSpace(base.text)),
  indentation: (base) => rewrite(base, leadingSpace(base.text)),
};

/** The form of a line that each tier compares. For `indentation`, the line without its indentation. */
export const LINE_KEY: Record<Tier, (line: string) => string> = {
  exact: (line) => line,
  unicode: (line) => line.replace(TYPOGRAPHIC, (character) => PLAIN_OF.get(character) ?? character),
  trailing_whitespace: (line) => LINE_KEY.unicode(line).trimEnd(),
  indentation: (line) => LINE_KEY.unicode(line).trim(),
};
