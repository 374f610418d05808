import { expect, it } from 'vitest';
import { decide } from '../policy/decide.ts';
import { compilePolicy } from '../policy/policy.ts';
import { lostWritesNote } from './shape.ts';

const policy = compilePolicy({ tools: new Set(['run_command']), home: '/home/me', roots: ['/home/me/project'], sources: [], now: () => 0 });
const noteOf = (command: string): string | undefined =>
  lostWritesNote(decide(policy, { tool: 'run_command', permissions: [{ action: 'exec', resource: command }], confined: true }));

it.each([
  ['echo x > ../outside.txt', '../outside.txt: outside'],
  ['cp a /home/me/other/a', '/home/me/other/a: outside'],
  ['echo x > ../a; echo x > ../b', '../a and ../b: outside'],
  ['ln -s a ../b', '../b: outside'],
  ['touch ../a ../b ../c ../d', '../a and 3 more: outside'],
  ['cd meta && echo x > ../../a', '../../a: outside'],
  ['cd meta; echo x > a; echo x > ../../a; echo x > /home/other/a', '../../a and /home/other/a: outside'],
])('%s', (command, note) => {
  expect(noteOf(command)).toMatch(new RegExp(`^${RegExp.escape(note)}`, 'u'));
});

it.each([
  'echo x > a',
  'echo x > /home/me/project/a',
  'echo x > /dev/null',
  'echo x > /tmp/a && cat /tmp/a',
  'cat ../a',
  'rm ../a',
  'ln -s /usr/bin/env e',
  'ln ../a b',
  'cd meta/r && echo x > ../../a',
  'cd meta && touch ../a',
  'cd meta; echo x > ../a',
])('nothing about %s', (command) => {
  expect(noteOf(command)).toBeUndefined();
});
