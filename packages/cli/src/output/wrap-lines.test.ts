import { expect, it } from 'vitest';
import { wrapLines } from './wrap-lines.ts';

it.each([
  ['short\n', 'short\n'],
  ['one two three four five six\n', 'one two three\nfour five six\n'],
  ['Error: /a/very/long/path/without/spaces is gone\n', 'Error:\n/a/very/long/path/without/spaces\nis gone\n'],
  ['first line is long\nok\n', 'first line is\nlong\nok\n'],
  // Rows, commands to copy, and diffs.
  ['  synapse console --workspace /a --open\n', '  synapse console --workspace /a --open\n'],
  ['+ added text of a file\n', '+ added text of a file\n'],
  ['- removed text of a file\n', '- removed text of a file\n'],
  ['界界界界 界界界界\n', '界界界界\n界界界界\n'],
  ['', ''],
])('%j becomes %j', (text, wrapped) => {
  expect(wrapLines(text, 14)).toBe(wrapped);
});
