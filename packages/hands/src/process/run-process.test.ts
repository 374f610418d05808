import { expect, it } from 'vitest';
import { endedBy } from './run-process.ts';

it.each([
  ['the signal', { exitCode: null, signal: 'SIGTERM' }, { exitCode: null, signal: 'SIGTERM' }],
  ['the code that a shell or a sandbox makes of one', { exitCode: 143, signal: null }, { exitCode: null, signal: 'SIGTERM' }],
  ['that of the other one', { exitCode: 137, signal: null }, { exitCode: null, signal: 'SIGKILL' }],
  ['a code of its own', { exitCode: 5, signal: null }, { exitCode: 5, signal: null }],
] as const)('tells how a command ended that was ended here: by %s', (_, exit, ended) => {
  expect(endedBy(exit)).toEqual(ended);
});
