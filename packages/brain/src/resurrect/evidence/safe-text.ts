const safe = Symbol('safe text');

/**
 * Text that is safe in a report: one line, bounded, and without repository content that could open a heading, a link, a
 * tag or front matter. Only {@link say} and related functions create it.
 */
export interface SafeText {
  readonly [safe]: string;
}

/** Default maximum number of characters of a quoted text. */
const QUOTE_CHARACTERS = 160;

/** Characters that control the cursor, line ends, visibility or direction: controls, format characters (zero-width, bidi, tags), lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu;

/** Converts any text to one printable line of bounded length. */
export function oneLine(text: string, maximum: number = QUOTE_CHARACTERS): string {
  // Truncate first: a message may be megabytes long.
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

/** Formats a text as an inline code span, in which Markdown has no effect. The fence is longer than any run of backticks in it. */
function codeSpan(text: string, maximum?: number): string {
  const line = oneLine(text, maximum);
  if (line === '') return '`(empty)`';
  const longest = Math.max(0, ...(line.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const padding = longest > 0 ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}

const make = (text: string): SafeText => ({ [safe]: text });

/** Quotes repository text as data: a code span of one line, cut to `maximum` characters (default 160). */
export function quote(text: string, maximum?: number): SafeText {
  return make(codeSpan(text, maximum));
}

/**
 * Creates report text. The template is trusted; every string inserted into it is quoted.
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

/** Joins several texts. */
export function join(texts: readonly SafeText[], separator: ', ' | ' ' | '; ' = ', '): SafeText {
  return make(texts.map((text) => text[safe]).join(separator));
}

/** Formats a count with its noun, such as `1 commit` or `2,000 commits`. */
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
  submodule: 'submodules',
  branch: 'branches',
  change: 'changes',
  test: 'tests',
  comment: 'comments',
  'other file': 'other files',
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

/** Formats the time since `time`, in the largest unit of which at least two have passed, such as `3 weeks`. */
export function age(now: number, time: number): SafeText {
  const days = (now - time) / DAY_MS;
  const unit = AGES.find((each) => days >= each.days * 2);
  return unit === undefined ? make('less than 2 hours') : amount(Math.floor(days / unit.days), unit.noun);
}

/** Formats the date of a commit in its own time zone, such as `2026-11-20`. */
export function day(date: string): SafeText {
  return make(/^\d{4}-\d{2}-\d{2}$/u.test(date) ? date : 'an unknown day');
}

/** Returns the text for the report. */
export function textOf(text: SafeText): string {
  return text[safe];
}
