import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

const ROOT = '/home/ada/project';

it('names a file once for the places of a message of tsc', () => {
  const text = [3, 7, 12, 90]
    .flatMap((line) => ['a', 'b(1)'].map((name) => `src/${name}.ts(${line},5): error TS2304: Cannot find name 'describe'.`))
    .join('\n');
  expect(condenseOutput(`${text}\n`, ROOT)?.text).toBe(
    "error TS2304: Cannot find name 'describe'.\n  8 times: src/a.ts(3,5)(7,5)(12,5)(90,5) src/b(1).ts(3,5)(7,5)(12,5)(90,5)\n",
  );
});
