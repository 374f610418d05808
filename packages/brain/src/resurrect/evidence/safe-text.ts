const safe = Symbol('safe text');

/**
 * Text that may stand in a report: one line, bounded, and nothing in it that a repository wrote can
 * open a heading, a link, a tag or front matter. Only {@link say} and its friends make it.
 */
export interface SafeText {
  readonly [safe]: string;
}

/** Characters of one quoted text that are shown. */
const QUOTE_CHARACTERS = 160;

/** What moves a cursor, ends a line, hides or turns text around: controls, line ends, format characters (zero-width, bidi, tags), lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu;

/** A text of any origin as one printable line of bounded length. */
export function oneLine(text: string, maximum: number = QUOTE_CHARACTERS): string {
  // Cut before the work: a message may be megabytes long.
  const line = text
    .slice(0, maximum * 4)
    .toWellFormed()
    .replace(UNPRINTABLE, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= maximum
    ? line
    : `${characters
        .slice(0, maximum - 1)
        .join('')
        .trimEnd()}…`;
}

/** As an inline code span, where Markdown has no meaning: the fence is longer than any run of backticks inside. */
function codeSpan(text: string, maximum?: number): string {
  const line = oneLine(text, maximum);
  if (line === '') return '`(empty)`';
  const longest = Math.max(0, ...(line.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padding = longest > 0 ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}

const make = (text: string): SafeText => ({ [safe]: text });

/** A text from the repository, as data: in a code span, on one line, cut to `maximum` characters (default 160). */
export function quote(text: string, maximum?: number): SafeText {
  return make(codeSpan(text, maximum));
}

/**
 * Makes report text. What is written in the template is ours; every string put into it is quoted.
 *
 * @example
 * say`Last commit: ${commit.message}` // Last commit: `fix: the parser`
 */
export function say(parts: TemplateStringsArray, ...values: readonly (string | number | SafeText)[]): SafeText {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += typeof value === 'number' ? value.toLocaleString('en') : typeof value === 'string' ? codeSpan(value) : value[safe];
    text += parts[index + 1] ?? '';
  }
  return make(text);
}

/** Several texts in one, such as a list with commas. */
export function join(texts: readonly SafeText[], separator: ', ' | ' ' | '; ' = ', '): SafeText {
  return make(texts.map((text) => text[safe]).join(separator));
}

/** A count with its noun, such as `1 commit` or `2,000 commits`. */
export function amount(count: number, noun: Noun): SafeText {
  return make(`${count.toLocaleString('en')} ${count === 1 ? noun : NOUNS[noun]}`);
}

const NOUNS = {
  commit: 'commits',
  file: 'files',
  folder: 'folders',
  day: 'days',
  week: 'weeks',
  month: 'months',
  year: 'years',
  hour: 'hours',
  'call failed': 'calls failed',
  manifest: 'manifests',
  stash: 'stashes',
  branch: 'branches',
  author: 'authors',
  'open item': 'open items',
} as const;
export type Noun = keyof typeof NOUNS;

const DAY_MS = 86_400_000;
const AGES = [
  { noun: 'year', days: 365 },
  { noun: 'month', days: 30.4 },
  { noun: 'week', days: 7 },
  { noun: 'day', days: 1 },
  { noun: 'hour', days: 1 / 24 },
] as const;

/** How long ago a time was, in the largest unit of which at least two have passed, such as `3 weeks`. */
export function age(now: number, time: number): SafeText {
  const days = (now - time) / DAY_MS;
  const unit = AGES.find((each) => days >= each.days * 2);
  return unit === undefined ? make('less than 2 hours') : amount(Math.floor(days / unit.days), unit.noun);
}

/** A time as its day in UTC, such as `2026-11-20`. */
export function day(time: number): SafeText {
  return make(new Date(time).toISOString().slice(0, 10));
}

/** The text itself, for whoever writes the report. */
export function textOf(text: SafeText): string {
  return text[safe];
}
