/** A way to write a byte as a number. */
interface NumberEscape {
  readonly open: string;
  readonly base: 8 | 10 | 16;
  /** Least and greatest number of digits. */
  readonly digits: readonly [number, number];
  /** What ends it; it may also be missing if digits can end without it. */
  readonly close?: string;
}

/** Zeros that are padded to numbers: more than any program writes. */
const PADDED = 10;

const NUMBERS: readonly NumberEscape[] = [
  // URLs; JavaScript's `escape`.
  { open: '%', base: 16, digits: [2, 2] },
  { open: '%u', base: 16, digits: [4, 4] },
  // Quoted-printable.
  { open: '=', base: 16, digits: [2, 2] },
  // JSON, JavaScript, C, Python, Perl, shells.
  { open: '\\u', base: 16, digits: [4, 4] },
  { open: '\\u{', base: 16, digits: [1, PADDED], close: '}' },
  { open: '\\U', base: 16, digits: [8, 8] },
  { open: '\\x', base: 16, digits: [2, 2] },
  { open: '\\x{', base: 16, digits: [1, PADDED], close: '}' },
  { open: '\\', base: 8, digits: [1, 4] },
  // CSS.
  { open: '\\', base: 16, digits: [2, 6], close: ' ' },
  // HTML and XML.
  { open: '&#', base: 10, digits: [1, PADDED], close: ';' },
  { open: '&#x', base: 16, digits: [1, PADDED], close: ';' },
];

/** Escapes that stand for one byte, or for none. */
const TEXTS: Readonly<Record<string, number | 'nothing'>> = {
  '+': 0x20,
  '&amp;': 0x26,
  '&lt;': 0x3c,
  '&gt;': 0x3e,
  '&quot;': 0x22,
  '&apos;': 0x27,
  '&nbsp;': 0x20,
  '&sol;': 0x2f,
  '&plus;': 0x2b,
  '&equals;': 0x3d,
  '&lowbar;': 0x5f,
  '&colon;': 0x3a,
  '&period;': 0x2e,
  '&num;': 0x23,
  '&percnt;': 0x25,
  '&bsol;': 0x5c,
  '&grave;': 0x60,
  '&NewLine;': 0x0a,
  '&Tab;': 0x09,
  '\\n': 0x0a,
  '\\r': 0x0d,
  '\\t': 0x09,
  // Lines that are broken: quoted-printable, and in programs.
  '=\n': 'nothing',
  '=\r\n': 'nothing',
  '\\\n': 'nothing',
  '\\\r\n': 'nothing',
  // The other bytes of UTF-16 and UTF-32.
  '\0': 'nothing',
};

/**
 * Marks in quotes, and marks that are doubled: in shells, SQL, CSV and YAML, in formats of `printf`, and in makefiles. Apart from the others, as
 * they only matter where a value has the mark: quotes are everywhere.
 */
const QUOTED: Readonly<Record<string, number>> = {
  "''": 0x27,
  "'\\''": 0x27,
  [`'"'"'`]: 0x27,
  '""': 0x22,
  [`"'"'"`]: 0x22,
  $$: 0x24,
  '%%': 0x25,
};
const WORDS = Object.entries({ ...TEXTS, ...QUOTED });

/** Colors of a terminal (ECMA-48, SGR and EL), which are taken out of what people and models see: then what was around them is together. */
const COLOR = /^\[[\d;]{0,16}[mK]$/u;
const BEGUN_COLOR = /^(?:\[[\d;]{0,16})?$/u;
const ESCAPE = '\u001B';

/** What an escape may be, from its first characters. */
export interface Escape {
  /** What it stands for, if it ends here. */
  readonly means: ReadonlyArray<number | 'nothing'>;
  /** The bytes that it may stand for if it goes on. */
  readonly may: ReadonlyArray<number | 'nothing'>;
}

const BYTES: readonly number[] = Array.from({ length: 256 }, (_, byte) => byte);

/** Whether a number can be written with these first digits and some more. */
function mayBecome(byte: number, digits: string, { base, digits: [least, most] }: NumberEscape): boolean {
  const written = byte.toString(base);
  for (let length = Math.max(least, written.length, digits.length + 1); length <= most; length += 1)
    if (written.padStart(length, '0').startsWith(digits)) return true;
  return false;
}

const KINDS = { 8: /^[0-7]+$/u, 10: /^\d+$/u, 16: /^[\da-f]+$/u } as const;

/** The digits that a text begins a number with; undefined if it begins none. */
function digitsIn(text: string, { open, base, digits, close }: NumberEscape): { given: string; isClosed: boolean } | undefined {
  if (!text.startsWith(open) || text === open) return undefined;
  const isClosed = close !== undefined && text.endsWith(close);
  const given = text.slice(open.length, isClosed ? -close.length : undefined).toLowerCase();
  return KINDS[base].test(given) && given.length <= digits[1] ? { given, isClosed } : undefined;
}

function readNumber(text: string, row: NumberEscape, means: Set<number | 'nothing'>, may: Set<number | 'nothing'>): void {
  const { open, base, digits, close } = row;
  if (open.startsWith(text)) for (const byte of BYTES) may.add(byte);
  const found = digitsIn(text, row);
  if (found === undefined) return;
  const { given, isClosed } = found;
  const value = Number.parseInt(given, base);
  const isByte = given.length >= digits[0] && value < 256;
  if (isByte && (isClosed || close !== '}')) means.add(value);
  if (isClosed) return;
  if (close !== undefined && isByte) may.add(value);
  for (const byte of BYTES) if (mayBecome(byte, given, row)) may.add(byte);
}

/** Maximum number of backslashes before a character: four strings in each other. */
const MAX_BACKSLASHES = 15;
const BACKSLASH = '\\';

function read(given: string): Escape {
  const means = new Set<number | 'nothing'>();
  const may = new Set<number | 'nothing'>();
  // Of strings in each other, the backslash of an escape is one of 1, 3, 7 and 15, or of 2, 4 and 8 where the character needs none itself.
  const text = given.replace(/^\\{2,15}(?=[^\\])/u, BACKSLASH);
  for (const [written, meaning] of WORDS) {
    if (written === text) means.add(meaning);
    else if (written.startsWith(text)) may.add(meaning);
  }
  for (const row of NUMBERS) readNumber(text.replace(/^&#X/u, '&#x'), row, means, may);
  if (text.startsWith(ESCAPE) && COLOR.test(text.slice(1))) means.add('nothing');
  if (text.startsWith(ESCAPE) && BEGUN_COLOR.test(text.slice(1))) may.add('nothing');
  // A character that means something in a shell, a string or an expression, after a backslash.
  if (/^\\[!-/:-@[-`{-~ ]$/u.test(text)) means.add(text.charCodeAt(1));
  const backslashes = /^\\+$/u.test(text) ? text.length : 0;
  if ([4, 8, 16].includes(backslashes)) means.add(BACKSLASH.charCodeAt(0));
  if (backslashes > 0 && backslashes <= MAX_BACKSLASHES) for (const byte of BYTES) may.add(byte);
  return { means: [...means], may: [...may] };
}

/** The escapes, those of numbers with a first digit of each kind. */
const ESCAPES: readonly string[] = [
  ...Object.keys(TEXTS),
  BACKSLASH.repeat(2),
  `${ESCAPE}[01;31m`,
  `${ESCAPE}[K`,
  ...NUMBERS.flatMap(({ open, close = '' }) =>
    [open.toUpperCase(), open].flatMap((text) => Array.from('0123456789abcdefABCDEF', (digit) => text + digit + close)),
  ),
];

/** The escapes that texts may have. */
export function escapesOf(texts: readonly string[]): string[] {
  const quoted = Object.entries(QUOTED).filter(([, mark]) => texts.some((text) => text.includes(String.fromCharCode(mark))));
  return [...ESCAPES, ...quoted.map(([written]) => written)];
}

/** The bytes that escapes begin with. */
export const OPENING: ReadonlySet<number> = new Set([...ESCAPES, ...Object.keys(QUOTED)].map((text) => text.charCodeAt(0)));

/** Whether an escape may end with a letter or digit. */
export const mayEndEscape = (byte: number): boolean => /[\da-fmnrtK]/iu.test(String.fromCharCode(byte));

/** Maximum number of beginnings of escapes that are kept, half a KB each. Ordinary texts need some hundred, hostile ones a million. */
const MAX_KNOWN = 20_000;
const known = new Map<string, Escape>();

/** Reads the first characters of an escape. Only those that earlier ones may lead to are asked for. */
export function readEscape(text: string): Escape {
  const before = known.get(text);
  if (before !== undefined) return before;
  const escape = read(text);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, escape);
  return escape;
}
