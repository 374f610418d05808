import { expect, it } from 'vitest';
import { filesLookedAt, toolsMeant } from './call-meaning.ts';

it.each([
  ['read_file', { path: 'a' }, ['read_file']],
  ['Read', { file_path: 'a' }, ['Read', 'read_file']],
  ['Bash', { command: 'git --no-pager log -5 | head' }, ['Bash', 'run_command', 'git_log']],
  ['run_command', { command: 'cd src && ls -la; rg TODO' }, ['run_command', 'list_directory', 'search_text']],
  ['run_command', { command: 'lsof' }, ['run_command']],
  ['shell', { command: ['git', 'status'] }, ['git_status']],
  ['mcp:own:tool', null, ['mcp:own:tool']],
] as const)('%s %j', (name, input, tools) => {
  expect([...toolsMeant(name, input)]).toEqual(expect.arrayContaining([...tools]));
});

it('takes a word that only begins like a program for no program', () => {
  expect([...toolsMeant('run_command', { command: 'lsof' })]).toEqual(['run_command']);
});

it('takes the words of commands that read for files, and those of no other', () => {
  expect(filesLookedAt({ command: "echo x.txt && cat -n 'a b' c.txt; sed -n 1,9p src/d.ts | wc" })).toEqual(['a', 'b', 'c.txt', '1,9p', 'src/d.ts']);
});
