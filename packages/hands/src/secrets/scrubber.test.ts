import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readersMade } from './notations/reader.ts';
import { Scrubber, TextScrubber, unseen } from './scrubber.ts';

const VALUE = 'tok/en+"1&2<3=secretZQ9x7-k';
const what = unseen([VALUE, 'other-value-9']);

const bytesOf = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const each = (text: string, write: (code: number) => string): string => bytesOf(text).map(write).join('');
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const base64 = (bytes: Buffer | string): string => Buffer.from(bytes as string).toString('base64');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const lines = (text: string, length: number, end = '\r\n'): string => text.replaceAll(new RegExp(`.{${length}}`, 'gu'), `$&${end}`);
const url = (text: string): string => each(text, (code) => `%${hex(code, 2)}`);

/** How a value is written, in bytes; the characters at both ends of base64 that neighbors affect are not part of it. */
const NOTATIONS: Readonly<Record<string, (text: string) => string | Buffer>> = {
  plain: (text) => text,
  reversed: (text) => Array.from(text).toReversed().join(''),
  'lower case': (text) => text.toLowerCase(),
  'upper case': (text) => text.toUpperCase(),
  'UTF-16, little end first': utf16,
  'UTF-16, big end first': (text) => utf16(text).swap16(),
  URL: encodeURIComponent,
  'URL of a form': (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  'URL, each byte': url,
  'URL, each byte, upper case': (text) => url(text).toUpperCase(),
  'URL, each byte, twice': (text) => url(url(text)),
  'URL of a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  '%u': (text) => each(text, (code) => `%u${hex(code, 4)}`),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'JSON of a page': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[<&]/gu, (one) => String.raw`\u00${hex(one.charCodeAt(0), 2)}`)
      .replaceAll('/', String.raw`\/`),
  [String.raw`\u`]: (text) => each(text, (code) => String.raw`\u${hex(code, 4)}`),
  [String.raw`\u in JSON`]: (text) => each(text, (code) => String.raw`\\u${hex(code, 4)}`),
  [String.raw`\u{}`]: (text) => each(text, (code) => `\\u{${hex(code, 2)}}`),
  [String.raw`\U`]: (text) => each(text, (code) => String.raw`\U${hex(code, 8)}`),
  [String.raw`\x`]: (text) => each(text, (code) => String.raw`\x${hex(code, 2)}`),
  [String.raw`\x{}`]: (text) => each(text, (code) => `\\x{${hex(code, 4)}}`),
  octal: (text) => each(text, (code) => `\\${code.toString(8).padStart(3, '0')}`),
  CSS: (text) => each(text, (code) => `\\${hex(code, 6)} `),
  shell: (text) => text.replaceAll(/[^\w]/gu, String.raw`\$&`),
  HTML: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'HTML twice': (text) => text.replaceAll('&', '&amp;amp;').replaceAll('<', '&amp;lt;').replaceAll('"', '&amp;#34;'),
  '&#NN;': (text) => each(text, (code) => `&#${code};`),
  '&#00NN;': (text) => each(text, (code) => `&#${String(code).padStart(7, '0')};`),
  '&#xHH;': (text) => each(text, (code) => `&#x${hex(code, 2)};`),
  '&#X00HH;': (text) => each(text, (code) => `&#X${hex(code, 6).toUpperCase()};`),
  '&#NN': (text) => each(text, (code) => `&#${code}`),
  '&amp;#NN;': (text) => each(text, (code) => `&amp;#${code};`),
  'quoted-printable': (text) => text.replaceAll('=', '=3D'),
  'quoted-printable, each byte, in lines': (text) =>
    lines(
      each(text, (code) => `=${hex(code, 2).toUpperCase()}`),
      30,
      '=\r\n',
    ),
  base64,
  'base64 after one byte': (text) => Buffer.from(`x${text}`).toString('base64').slice(2),
  'base64 after two bytes': (text) => Buffer.from(`xy${text}`).toString('base64url').slice(3),
  'base64 in lines': (text) => lines(base64(text), 10),
  'base64 in short lines': (text) => lines(base64(text), 4, '\n  '),
  'base64 in lines, in JSON': (text) => JSON.stringify(lines(base64(text), 10)).slice(1, -1),
  'base64 in a URL': (text) => encodeURIComponent(base64(`${text}?`)),
  'base64 of UTF-16': (text) => base64(utf16(text)),
  'base64 of a URL': (text) => base64(url(text)),
  'base64 twice': (text) => base64(base64(text)),
  'base64 twice, at another byte': (text) => base64(`x${base64(`xy${text}`)}`),
  'base64 twice, in lines': (text) => lines(base64(lines(base64(text), 16, '\n')), 20),
  'hexadecimal of base64': (text) => Buffer.from(base64(text)).toString('hex'),
  'base64 of hexadecimal': (text) => base64(Buffer.from(text).toString('hex')),
  hexadecimal: (text) => Buffer.from(text).toString('hex'),
  'upper hexadecimal': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hexadecimal with colons': (text) =>
    bytesOf(text)
      .map((code) => hex(code, 2))
      .join(':'),
  'hexadecimal with spaces': (text) =>
    bytesOf(text)
      .map((code) => hex(code, 2).toUpperCase())
      .join(' '),
  'hexadecimal with minus': (text) =>
    bytesOf(text)
      .map((code) => hex(code, 2))
      .join('-'),
  'hexadecimal in pairs': (text) => lines(Buffer.from(text).toString('hex'), 4, ' '),
  'hexadecimal numbers': (text) =>
    bytesOf(text)
      .map((code) => `0x${hex(code, 2)}`)
      .join(', '),
  'hexadecimal of UTF-16': (text) => utf16(text).toString('hex'),
  'a list of numbers': (text) => JSON.stringify(bytesOf(text)),
  'a list of numbers in lines': (text) => JSON.stringify(bytesOf(text), undefined, 4),
};

/** How programs quote a value with quotes and backslashes, as bash, dash, Python, PHP and others print it. */
const QUOTED: Readonly<Record<string, (text: string) => string>> = {
  'a shell: set, set -x, ls, xargs -t': (text) => text.replaceAll("'", String.raw`'\''`),
  'printf %q': (text) => text.replaceAll(/[^\w/.%-]/gu, String.raw`\$&`),
  'a shell, by Python': (text) => text.replaceAll("'", `'"'"'`),
  'a shell, in double quotes': (text) => text.replaceAll('"', `"'"'"`),
  'a shell in a shell': (text) => text.replaceAll("'", String.raw`'\''`).replaceAll("'", String.raw`'\''`),
  'a shell in JSON': (text) => JSON.stringify(text.replaceAll("'", String.raw`'\''`)).slice(1, -1),
  'SQL, YAML': (text) => text.replaceAll("'", "''"),
  CSV: (text) => text.replaceAll('"', '""'),
  'CSV in JSON': (text) => JSON.stringify(text.replaceAll('"', '""')).slice(1, -1),
  'a format of printf': (text) => text.replaceAll('%', '%%'),
  'a makefile': (text) => text.replaceAll('$', '$$$$'),
  'repr of Python': (text) => text.replaceAll(/['\\]/gu, String.raw`\$&`),
  'repr of repr': (text) => text.replaceAll(/['\\]/gu, String.raw`\$&`).replaceAll(/['\\]/gu, String.raw`\$&`),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON in JSON in JSON': (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))).slice(7, -7),
  'JSON four times': (text) => JSON.stringify(JSON.stringify(JSON.stringify(JSON.stringify(text)))).slice(15, -15),
  'a URL of JSON': (text) => encodeURIComponent(JSON.stringify(text).slice(1, -1)),
};

describe.each(Object.entries(QUOTED))('a value with quotes, in %s', (_, write) => {
  const value = String.raw`pa'ss"w\o$rd{x}&9%z-Qk7`;
  const clean = (text: string): string => new TextScrubber(unseen([value])).clean(text);

  it('is taken out, and another one is not', () => {
    expect(clean(`a '${write(value)}' b`)).toMatch(/^a '\*{22,}' b$/u);
    const other = `a '${write(value.replace('p', 'x'))}' b`;
    expect(clean(other)).toBe(other);
  });
});

describe('a value of which a part is colored', () => {
  const [red, none] = ['\u001B[01;31m\u001B[K', '\u001B[m\u001B[K'];
  const colored = (from: number, to: number): string => `${VALUE.slice(0, from)}${red}${VALUE.slice(from, to)}${none}${VALUE.slice(to)}`;
  const shown = (text: string): string => text.replaceAll(new RegExp(String.raw`${String.fromCharCode(27)}\[[\d;]*[mK]`, 'gu'), '');

  it.each([
    [1, 3],
    [3, 6],
    [10, 12],
    [20, 26],
    [0, 5],
  ])('is taken out, from %i to %i', (from, to) => {
    const text = shown(new TextScrubber(what).clean(`a=${colored(from, to)} b`));
    expect(text.match(/[^*]/gu)?.join('')).toMatch(/^a=.{0,14} b$/su);
    const scrubber = new Scrubber(what);
    const pieces = Array.from(`a=${colored(from, to)} b`, (one) => scrubber.push(Buffer.from(one)).toString());
    expect(shown(pieces.join('') + scrubber.end().toString())).not.toContain(VALUE.slice(6, 10));
  });

  it('of another text stays, the control', () => {
    const text = `a=${red}other${none} text${red}!${none}`;
    expect(new TextScrubber(what).clean(text)).toBe(text);
  });
});

/** Sizes of chunks that a seed gives. */
function* sizes(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield 1 + ((state >>> 16) % 23);
  }
}

function cleaned(bytes: Buffer, chunks: Iterable<number>): Buffer {
  const scrubber = new Scrubber(what);
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of chunks) {
    if (at >= bytes.length) break;
    parts.push(Buffer.from(scrubber.push(bytes.subarray(at, at + size))));
    at += size;
  }
  return Buffer.concat([...parts, scrubber.end()]);
}

const around = (written: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('{"id": 7, "a": "'), Buffer.from(written as string), Buffer.from('", "b": [1, 2]} ~~~')]);

describe.each(Object.entries(NOTATIONS))('%s', (_, write) => {
  const bytes = around(write(VALUE));
  const other = around(write('not/a+"1&2<3=secretZQ9x7-z'));

  it('is taken out in one piece, and nothing else is', () => {
    const result = cleaned(bytes, [bytes.length]).toString('latin1');
    expect(result).toHaveLength(bytes.length);
    expect(result).toMatch(/^\{"id": 7, "a": "[^*]{0,6}\*{20,}[^*]{0,12}", "b": \[1, 2\]\} ~~~$/su);
  });

  it('is taken out as well in chunks, whatever their sizes', () => {
    const whole = cleaned(bytes, [bytes.length]);
    for (const size of [1, 2, 3, 7, 19])
      expect(
        cleaned(
          bytes,
          Array.from({ length: bytes.length }, () => size),
        ).equals(whole),
      ).toBe(true);
    for (let seed = 1; seed <= 12; seed += 1) expect(cleaned(bytes, sizes(seed)).equals(whole)).toBe(true);
  });

  it('is taken out between much else', () => {
    const long = Buffer.concat([Buffer.from('lorem ipsum (dolor) sit amet! '.repeat(300)), bytes, Buffer.from('QUJDREVG0123'.repeat(300)), bytes]);
    expect(
      cleaned(long, [long.length])
        .toString('latin1')
        .match(/\*{20,}/gu),
    ).toHaveLength(2);
  });

  it('of another text stays, the control', () => {
    expect(cleaned(other, [other.length]).equals(other)).toBe(true);
    for (let seed = 1; seed <= 5; seed += 1) expect(cleaned(other, sizes(seed)).equals(other)).toBe(true);
  });
});

describe.each([1, 2, 3, 7, 19, 1_000])('in chunks of %i bytes', (size) => {
  const chunks = (text: string): number[] => Array.from({ length: text.length }, () => size);
  const clean = (text: string): string => cleaned(Buffer.from(text), chunks(text)).toString();

  it('other bytes stay as they are, and a little of a secret at the end', () => {
    const text = `${'x'.repeat(50)}tok/en${VALUE.slice(0, 8)}`;
    expect(clean(text)).toBe(text);
    expect(clean(`${text}${VALUE.slice(8, 19)} \n`)).toBe(`${'x'.repeat(50)}tok/en${'*'.repeat(19)} \n`);
  });

  it('two in a row are taken out, and one of several values', () => {
    expect(clean(`a${VALUE}${VALUE}other-value-9z`)).toBe(`a${'*'.repeat(2 * VALUE.length + 13)}z`);
  });
});

it('does not write into the memory of a chunk', () => {
  const chunk = Buffer.from(`a ${VALUE} b`);
  new Scrubber(what).push(chunk);
  expect(chunk.toString()).toBe(`a ${VALUE} b`);
});

it('takes a longer secret out whole, of which another is the beginning', () => {
  const both = unseen(['abcdefgh', 'abcdefghijklmnop']);
  for (const size of [1, 5, 9, 100]) {
    const scrubber = new Scrubber(both);
    const bytes = Buffer.from('-abcdefghijklmnop-abcdefgh-');
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += scrubber.push(bytes.subarray(at, at + size)).toString();
    expect(text + scrubber.end().toString()).toBe('-****************-********-');
  }
  expect(new TextScrubber(both).clean('-abcdefghijklmnop-')).toBe('-****************-');
});

it('holds back few bytes, so that a prompt is shown', () => {
  const scrubber = new Scrubber(what);
  expect(scrubber.push(Buffer.from('Continue? [y/N] ')).toString()).toBe('Continue? [y/N] ');
  expect(scrubber.push(Buffer.from('\0'.repeat(10_000))).length).toBeGreaterThan(9_000);
});

describe('what is held where nothing comes after it', () => {
  const shown = (scrubber: Scrubber, text: string): string => scrubber.push(Buffer.from(text)).toString() + scrubber.show().toString();

  it.each(['server is to\n', 'Continue? [t', 'done: 100%', 'ok\r\n\r\n'])('is shown: the end of %j', (text) => {
    expect(shown(new Scrubber(what), text)).toBe(text);
  });

  it('is not shown if it is more of a secret, and never more than a quarter of a short one', () => {
    expect(shown(new Scrubber(what), `is ${VALUE.slice(0, 3)}`)).toBe('is ');
    const short = unseen(['kq7w1z9x']);
    expect(shown(new Scrubber(short), 'is kq')).toBe('is kq');
    expect(shown(new Scrubber(short), 'is kq7')).toBe('is ');
  });

  it.each([1, 2, 3, 4])('shows no more of a secret that comes in pieces of %i bytes: the rest is masked', (size) => {
    for (const text of [VALUE, base64(VALUE), url(VALUE)]) {
      const scrubber = new Scrubber(what);
      let got = '';
      for (let at = 0; at < text.length; at += size) got += shown(scrubber, text.slice(at, at + size));
      got += shown(scrubber, ' and more');
      expect(got).toMatch(/^[^*]{0,2}\*+[^*]{0,3} and more$/u);
      expect(got).toHaveLength(text.length + 9);
    }
  });
});

it('takes a short secret out where it is the whole text', () => {
  expect(new TextScrubber(unseen(['kq7w1z9x'])).clean('kq7w1z9x')).toBe('********');
  expect(new TextScrubber(unseen(['kq7w1z9x', VALUE])).clean('kq7w1z9x')).toBe('********');
});

it('does nothing without values', () => {
  const scrubber = new Scrubber(unseen([]));
  expect(scrubber.push(Buffer.from('abc')).toString()).toBe('abc');
  expect(new TextScrubber(unseen([])).clean('abc')).toBe('abc');
});

describe('a text that was cut', () => {
  const clean = (text: string): string => new TextScrubber(what).clean(text);
  const begun = VALUE.slice(0, 20);

  it.each([
    ['by Synapse', `a ${begun}… 40 more`, `a ${'*'.repeat(20)}… 40 more`],
    ['by a server', `bad header: ${begun}...\nnext`, `bad header: ${'*'.repeat(20)}...\nnext`],
    ['in JSON', `{"error":"bad ${begun}"}`, `{"error":"bad ${'*'.repeat(20)}"}`],
    ['at the end of a line', `a ${begun}\n\nb`, `a ${'*'.repeat(20)}\n\nb`],
    ['twice', `${begun}…${begun}…`, `${'*'.repeat(20)}…${'*'.repeat(20)}…`],
    ['at its end', `a ${begun}`, `a ${'*'.repeat(20)}`],
  ])('shows nothing of a secret: %s', (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    `token: ${VALUE.slice(0, 8)}…`,
    String.raw`C:\\\\\\\\\\\\…`,
    '0000000000000000…',
    `${VALUE.slice(0, 1)}${'\n'.repeat(30)}…`,
    'tok/other text…',
  ])('shows %j, the control', (text) => {
    expect(clean(text)).toBe(text);
  });
});

it('takes a secret out of a text with characters of several bytes', () => {
  expect(new TextScrubber(what).clean(`ä😀 ${VALUE} ß`)).toBe(`ä😀 ${'*'.repeat(VALUE.length)} ß`);
  const text = 'ä😀 nothing';
  expect(new TextScrubber(what).clean(text)).toBe(text);
});

describe('a text that was made to need many readers', () => {
  const octal = (text: string): string =>
    bytesOf(text)
      .map((code) => `\\${code.toString(8)}`)
      .join('');
  const decimal = (text: string): string =>
    bytesOf(text)
      .map((code) => `&#${code};`)
      .join('');
  const writers = [octal, decimal, url, (text: string) => JSON.stringify(text), base64];
  const pieces = Array.from({ length: 600 }, (_, round) => {
    let text = VALUE.slice(0, 4 + (round % 30));
    for (const shift of [0, 1, 3]) text = writers[(round + shift * (1 + (round >> 3))) % writers.length]?.(text).slice(0, 600) ?? '';
    return text;
  });
  const after = ` ${VALUE} ${base64(VALUE)} ${url(VALUE)} `;

  it.each<[string, (value: string) => (text: string) => string]>([
    [
      'as a stream',
      (value) => {
        const scrubber = new Scrubber(unseen([value]));
        return (text) => scrubber.push(Buffer.from(text)).toString();
      },
    ],
    [
      'as many texts of one result',
      (value) => {
        const scrubber = new TextScrubber(unseen([value, 'another-value']));
        return (text) => scrubber.clean(text);
      },
    ],
  ])('needs few, %s, and what comes after is still taken out', (_, open) => {
    const clean = open(VALUE);
    const before = readersMade();
    for (const piece of pieces) clean(piece);
    expect(pieces.join('').length).toBeGreaterThan(100_000);
    expect(readersMade() - before).toBeLessThan(20_000);
    expect(clean(after)).toMatch(/ \*{20,} \*{20,}=* \*{20,} $/u);
  });
});

it.each<[string, (value: string) => string]>([
  // As Kubernetes shows the passwords of registries, which are that long.
  ['settings of Docker', (value) => base64(JSON.stringify({ auths: { 'registry.example.com': { auth: base64(`AWS:${value}`) } } }))],
  ['UTF-16', (value) => Buffer.from(value, 'utf16le').toString('base64')],
  ['an address', (value) => base64(`https://example.com/?t=${url(value)}`)],
])('takes a value of 2,000 characters out of %s in base64', (_, write) => {
  const value = Array.from({ length: 24 }, (__, at) => createHash('sha512').update(`${at}`).digest('base64url'))
    .join('')
    .slice(0, 2_000);
  const text = new TextScrubber(unseen([value])).clean(`a ${write(value)} b`);
  expect(text).toMatch(/^a .*\*{2600,}.* b$/u);
});

it('goes on when a text took more steps than are kept', () => {
  // Each of these begins many notations.
  let noise = '';
  for (let state = 7, at = 0; at < 60_000; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    noise += '%25&#x0;=\\u{6t7oZdG"+'[(state >>> 16) % 21];
  }
  const text = `${noise}${VALUE} ${noise.slice(0, 5_000)}${url(VALUE)}`;
  const result = cleaned(Buffer.from(text), sizes(3)).toString();
  expect(result).toHaveLength(text.length);
  expect(result).toContain('*'.repeat(VALUE.length));
  expect(result.endsWith('*'.repeat(3 * VALUE.length))).toBe(true);
});
