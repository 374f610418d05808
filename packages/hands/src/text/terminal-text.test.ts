import { describe, expect, it } from 'vitest';
import { EscapeStripper, LineFolder } from './terminal-text.ts';

const inPieces = (text: string, take: (piece: string) => string): string => Array.from(text, (character) => take(character)).join('');

describe('EscapeStripper', () => {
  it.each([
    ['colors', '\u001B[1;31mred\u001B[0m', 'red'],
    ['eight-bit introducers', '\u009B31mred\u009B0m', 'red'],
    ['a title, ended by BEL', 'a\u001B]0;evil\u0007b', 'ab'],
    ['the clipboard, ended by ESC \\', 'a\u001B]52;c;ZXZpbA==\u001B\\b', 'ab'],
    ['a link', '\u001B]8;;http://evil\u001B\\text\u001B]8;;\u001B\\', 'text'],
    ['a device control string', 'a\u001BP1$r0m\u001B\\b', 'ab'],
    ['cursor moves and erasure', 'safe\u001B[2K\u001B[1Aevil', 'safeevil'],
    ['character sets', '\u001B(Bx\u001B)0y', 'xy'],
    ['a sequence cut by a line end', '\u001B[31\nnext', '\nnext'],
    ['a title that is never closed', '\u001B]0;hidden\nshown', '\nshown'],
    ['an endless sequence', `\u001B[${'1'.repeat(5_000)}mshown`, `${'1'.repeat(5_000 - 4_094)}mshown`],
    ['an escape that begins another', '\u001B]0;x\u001B[31mred', 'red'],
    ['bells, NUL and the like', 'a\u0000b\u0007c\u007Fd\u000Ce', 'abcde'],
    ['what is text', 'tab\t, line\r\n, back\b, ümlaut, 日本, 😀', 'tab\t, line\r\n, back\b, ümlaut, 日本, 😀'],
    ['a title that is broken off', 'a\u001B]0;t\u0018b\u001B[3\u001Ac', 'abc'],
    ['noise within a sequence', 'a\u001B[3\u00001mb', 'ab'],
    ['an escape at the very end', 'end\u001B', 'end'],
  ])('%s', (_, text, expected) => {
    expect(new EscapeStripper().strip(text)).toBe(expected);
    const stripper = new EscapeStripper();
    expect(inPieces(text, (piece) => stripper.strip(piece))).toBe(expected);
  });
});

describe('LineFolder', () => {
  it.each([
    ['a progress bar', '10%\r50%\r100%\ndone\n', '100%\ndone\n'],
    ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
    ['doubled carriage returns', 'a\r\r\nb', 'a\nb'],
    ['a return at the end of a line stays with it', 'Progress: 50%\r', 'Progress: 50%'],
    ['a spinner', 'wait |\b/\b-\b\\\b ok\n', 'wait  ok\n'],
    ['backspaces beyond the beginning', 'ab\b\b\b\bc\n', 'c\n'],
    ['backspace over a wide character', 'a😀\bb', 'ab'],
    ['plain lines', 'one\ntwo\n\nthree', 'one\ntwo\n\nthree'],
    ['a line too long to be a progress bar', `${'x'.repeat(9_000)}\rshort\n`, `${'x'.repeat(9_000)}\nshort\n`],
  ])('%s', (_, text, expected) => {
    const whole = new LineFolder();
    expect(whole.take(text) + whole.finish()).toBe(expected);
    const pieces = new LineFolder();
    expect(inPieces(text, (piece) => pieces.take(piece)) + pieces.finish()).toBe(expected);
  });
});
