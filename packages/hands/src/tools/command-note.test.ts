import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { expectationNotes, tookNotes } from './command-note.ts';

it.each([
  ['cd src', 0, 'use cwd'],
  [' export  A=1 ', 0, 'use cwd'],
  ['. ./env', 0, 'use cwd'],
  ['sudo  apt-get   -y  install jq', 1, 'a person installs'],
  ['pacman -Syu', 1, 'a person installs'],
])('%j ended with %i: %s', (command, exitCode, note) => {
  expect(expectationNotes(command, exitCode)).toEqual([expect.stringContaining(note)]);
});

it.each([
  ['cd src', 1],
  ['cd src && ls', 0],
  ['cd src\nls', 0],
  ['cd\nls', 0],
  ['settle', 0],
  ['apt-get install jq', 0],
  ['apt list', 1],
  ['aptly install', 1],
  ['apt list\ninstall', 1],
])('%j ended with %i: no note', (command, exitCode) => {
  expect(expectationNotes(command, exitCode)).toEqual([]);
});

it.each([
  ['cd', 0],
  ['apt', 1],
])('a long command takes no long time: %s', (program, exitCode) => {
  const started = computedMs();
  expect(expectationNotes(`${program}${' '.repeat(120_000)};x`, exitCode)).toEqual([]);
  expect(computedMs() - started).toBeLessThan(1_000);
});

it.each([
  [{ exitCode: 0, aborted: false, durationMs: 300 }, []],
  [{ exitCode: 0, aborted: false, durationMs: 12_000 }, ['12 s']],
  [{ exitCode: null, aborted: false, durationMs: 300 }, ['0.3 s']],
  // Its shell may have answered the signal with a code of its own.
  [{ exitCode: 143, aborted: true, durationMs: 300 }, ['0.3 s']],
])('tells how long a command took that was long, or did not end by itself: %j', (outcome, told) => {
  expect(tookNotes(outcome)).toEqual(told);
});
