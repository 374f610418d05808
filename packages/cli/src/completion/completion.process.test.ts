import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { COMMANDS } from '../commands/list.ts';
import { COMPLETION_SCRIPTS } from './completion-scripts.ts';
import { completionWords, type CompletedCommand } from './completion-words.ts';

let words: CompletedCommand[];
beforeAll(async () => void (words = await completionWords(COMMANDS)));

/** What bash offers for a command line whose last word is being written. */
function complete(...line: string[]): string[] {
  const script = `eval "$(cat)"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _synapse; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', 'synapse', ...line], {
    input: COMPLETION_SCRIPTS.bash(words),
    encoding: 'utf8',
  });
  return out.split('\n').filter((word) => word !== '');
}

it.each([
  [['res'], ['resurrect', 'resume']],
  [['policy', 'ex'], ['explain']],
  [['resurrect', '--q'], ['--quiet']],
  [['policy', 'explain', '--js'], ['--json']],
  [
    ['mcp', ''],
    ['install', 'list', 'test', 'approve'],
  ],
  [['nothing-like-it'], []],
  // Its value is a folder, and no command.
  [['call', '--workspace', 'res'], []],
])('bash completes %j', (line, expected) => {
  expect(complete(...line)).toEqual(expect.arrayContaining(expected));
  if (expected.length === 0) expect(complete(...line)).toEqual([]);
});

it('writes every command and option for each shell', () => {
  for (const script of Object.values(COMPLETION_SCRIPTS)) {
    const text = script(words);
    for (const { name } of COMMANDS) expect(text).toContain(name.split(' ').at(-1));
    expect(text).toContain('protocol');
  }
});
