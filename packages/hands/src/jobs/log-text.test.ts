import { describe, expect, it } from 'vitest';
import { lastLine, logText } from './log-text.ts';

const SAMPLE = 'plain\n\u001b[31mré\u001b[0md €\r\n10%\r100%\n\u001b]0;title\u0007done 🙂\n>>> ';

/** Reads a log that grows, in two answers. */
function inTwo(bytes: Buffer, at: number): string {
  const first = logText(bytes.subarray(0, at), { begins: true, ends: false });
  const second = logText(bytes.subarray(first.consumed), { begins: false, ends: true });
  return first.text + second.text;
}

describe('logText', () => {
  it('shows what a terminal would', () => {
    expect(logText(Buffer.from(SAMPLE), { begins: true, ends: true }).text).toBe('plain\nréd €\n100%\ndone 🙂\n>>> ');
  });

  it('tears no character and no sequence, wherever an answer ends', () => {
    const bytes = Buffer.from(SAMPLE);
    const whole = logText(bytes, { begins: true, ends: true }).text;
    for (let at = 0; at <= bytes.length; at += 1) {
      // A line that is written over between two answers has been shown already.
      expect([at, inTwo(bytes, at).replace(/10%?0?%?(?=100%)|1(?=100%)/u, '')]).toEqual([at, whole]);
    }
  });

  it('begins at a character, whatever the cursor is', () => {
    expect(logText(Buffer.from('€x').subarray(1), { begins: false, ends: true }).text).toBe('x');
  });

  it('does not wait for the end of a sequence that has none', () => {
    const bytes = Buffer.from(`\u001b]${'x'.repeat(1_000)}`);
    expect(logText(bytes, { begins: true, ends: false }).consumed).toBe(bytes.length);
  });
});

it.each([
  ['a\nb\n', 'b'],
  ['a\n>>> ', '>>>'],
  ['', ''],
])('the last line of %j', (text, line) => {
  expect(lastLine(text)).toBe(line);
});
