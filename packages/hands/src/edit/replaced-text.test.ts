import { expect, it } from 'vitest';
import { readReplaced, replacedNotes } from './replaced-text.ts';

async function notes(bytes: Buffer, content: string): Promise<string> {
  const replaced = await readReplaced(bytes);
  return replaced === undefined ? 'binary' : replacedNotes(replaced, content).join(' ');
}

it.each<readonly [Buffer, string, string]>([
  [Buffer.from('a\r\nb\r\n'), 'a\nc\n', 'It had lines that end with CRLF; now it has LF.'],
  [Buffer.from('a\nb\n'), 'a\r\nc\r\n', 'It had lines that end with LF; now it has CRLF.'],
  [Buffer.from('\ufeffa\n'), 'a\n', 'It had a byte order mark; now it has none.'],
  [
    Buffer.from('caf\u00e9\r\n', 'latin1'),
    'caf\u00e9\n',
    'It was in windows-1252, and had lines that end with CRLF; now it is in UTF-8, and has LF.',
  ],
  [Buffer.from('\ufeffa\n', 'utf16le'), 'a\n', 'It was in utf-16le; now it is in UTF-8.'],
  [Buffer.from('a\r\nb\r\n'), 'a\r\nc\r\n', ''],
  [Buffer.from('\ufeffa\n'), '\ufeffb\n', ''],
  [Buffer.from('a\r\nb\nc\n'), 'x\n', ''],
  [Buffer.from('a'), 'b\r\n', ''],
  [Buffer.from('a\r\n'), '', ''],
  [Buffer.from([0, 1, 2]), 'a\n', 'binary'],
])('%j replaced by %j: %s', async (bytes, content, says) => {
  expect(await notes(bytes, content)).toBe(says);
});
