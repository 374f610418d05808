import { expect, it } from 'vitest';
import { argumentLine } from './call-row.ts';

it.each<[unknown, string]>([
  [{ path: 'a.txt' }, 'a.txt'],
  [{ command: 'npm test\n&& ls', live: true }, 'npm test && ls live=true'],
  [{ content: { text: 'long', bytes: 9, sha256: 'x' } }, 'long'],
  [{}, ''],
  [undefined, ''],
  [[1], '[1]'],
])('%j in one line', (input, line) => {
  expect(argumentLine(input)).toBe(line);
});
