import { rewrite, type Change, type View } from './view.ts';

/** How exactly a text was matched, strictest first. Each tier forgives what those before it do, and a little more. */
export const TIERS = ['exact', 'unicode', 'trailing_whitespace', 'indentation'] as const;
export type Tier = (typeof TIERS)[number];

/** What each tier forgives, in words for the model. */
export const TIER_MEANING: Record<Tier, string> = {
  exact: 'exactly',
  unicode: 'apart from Unicode punctuation or spaces',
  trailing_whitespace: 'apart from white space at line ends',
  indentation: 'with other indentation, which new_text was given too',
};

/** Typographic characters that models write, or read, as their ASCII relatives. */
const PLAIN: ReadonlyArray<readonly [string, string]> = [
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

/** The ASCII relative of a typographic character; undefined for any other. */
export function plainOf(character: string): string | undefined {
  return PLAIN_OF.get(character);
}

const SPACE = 0x20;

/** White space within a line; after the Unicode tier there is no other. */
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

/** The white space at a place. */
export function indentOf(text: string, start = 0): string {
  let end = start;
  while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
  return text.slice(start, end);
}

/** What a tier adds to the view of the one before. */
export const NORMALISE: Record<Tier, (base: View) => View> = {
  exact: (base) => rewrite(base, lineFeeds(base.text)),
  unicode: (base) => rewrite(base, plainCharacters(base.text)),
  trailing_whitespace: (base) => rewrite(base, trailingSpace(base.text)),
  indentation: (base) => rewrite(base, leadingSpace(base.text)),
};

/** A line as a tier compares it; of `indentation`, what is left without it. */
export const LINE_KEY: Record<Tier, (line: string) => string> = {
  exact: (line) => line,
  unicode: (line) => line.replace(TYPOGRAPHIC, (character) => PLAIN_OF.get(character) ?? character),
  trailing_whitespace: (line) => LINE_KEY.unicode(line).trimEnd(),
  indentation: (line) => LINE_KEY.unicode(line).trim(),
};
