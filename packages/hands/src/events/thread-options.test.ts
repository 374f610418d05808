import { expect, it } from 'vitest';
import { threadArguments } from './thread-options.ts';

it.each([
  [['--input-type=module', '--conditions=x'], ['--conditions=x']],
  [
    ['--conditions=x', '--input-type', 'module', '--no-warnings'],
    ['--conditions=x', '--no-warnings'],
  ],
  [['--conditions=x'], ['--conditions=x']],
])('a thread gets no argument about the text of the process: %j', (given, expected) => {
  expect(threadArguments(given)).toEqual(expected);
});
