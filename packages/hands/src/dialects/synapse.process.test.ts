import { describe } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import { initRepository, write } from '../testing/git-repository.ts';

describe('contract 2: synapse', () => {
  checkContract('synapse', [
    {
      says: '`git status --porcelain` text',
      tool: 'git_status',
      prepare: ({ folder }) => {
        initRepository(folder, { 'a.txt': '1\n' });
        write(folder, { 'a.txt': '2\n', 'n.txt': '' });
      },
      output: ' M a.txt\n?? n.txt\n',
    },
    { says: 'no repository is a readable message', tool: 'git_status', output: /^Error: .*not a git repository/u, isError: true },
    {
      says: '`git diff` text',
      tool: 'git_diff',
      prepare: ({ folder }) => {
        initRepository(folder, { 'a.txt': '1\n' });
        write(folder, { 'a.txt': '2\n' });
      },
      output: /^diff --git a\/a\.txt b\/a\.txt\n[^]*-1\n\+2\n$/u,
    },
    { says: 'file text', tool: 'read_file', files: { 'a.txt': 'text\n' }, input: { path: 'a.txt' }, output: 'text\n' },
    {
      says: 'an image is a readable message, and no base64',
      tool: 'read_file',
      files: { 'a.png': Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64') },
      input: { path: 'a.png' },
      output: 'Error: a.png is an image of 70B and has no text to read',
      isError: true,
    },
    {
      says: 'a missing file is a readable message, never a crash',
      tool: 'read_file',
      input: { path: 'none.txt' },
      output: /^Error: File not found: none\.txt$/u,
      isError: true,
    },
    {
      says: 'overwrites; creates parent folders',
      tool: 'write_file',
      files: { 'a/b.txt': 'old' },
      input: { path: 'a/b.txt', content: 'new' },
      output: /a\/b\.txt/u,
      leaves: { 'a/b.txt': 'new' },
    },
    {
      says: 'creates parent folders',
      tool: 'write_file',
      input: { path: 'deep/er/b.txt', content: 'new' },
      leaves: { 'deep/er/b.txt': 'new' },
    },
    { says: 'stdout', tool: 'run_command', input: { command: 'echo out; echo err >&2' }, output: 'out\n' },
    {
      says: 'where the exit code is not 0, stderr',
      tool: 'run_command',
      input: { command: 'echo out; echo err >&2; exit 3' },
      output: 'err\n',
      isError: true,
    },
    {
      says: 'a failure without stderr still says something',
      tool: 'run_command',
      input: { command: 'exit 3' },
      output: 'The command failed with exit code 3.',
      isError: true,
    },
    {
      says: 'a wrong type gives one formatted error string naming the field',
      tool: 'write_file',
      input: { path: 'a', content: 5 },
      output: /^Error: write_file: content: expected string/u,
      isError: true,
    },
    {
      says: 'before any file is touched',
      tool: 'write_file',
      input: { path: 'x/a', content: 5 },
      isError: true,
      leaves: { x: false },
    },
    { says: 'a missing argument too', tool: 'run_command', input: {}, output: /^Error: run_command: command is missing/u, isError: true },
    {
      says: 'nested nonsense too',
      tool: 'read_file',
      input: { path: { deep: [] } },
      output: /^Error: read_file: path: expected string/u,
      isError: true,
    },
    {
      says: '`dispatch(name, arguments)` always gives a string here, never throws',
      tool: 'no_such_tool',
      input: 5,
      output: 'Error: Unknown tool: no_such_tool',
      isError: true,
    },
    {
      says: 'a circular input',
      tool: 'read_file',
      makeInput: () => {
        const value: Record<string, unknown> = {};
        value['path'] = value;
        return value;
      },
      output: /^Error: .*nested/u,
      isError: true,
    },
    { says: 'fields that it does not know are let pass', tool: 'read_file', files: { a: 'x' }, input: { path: 'a', reason: 'why not' }, output: 'x' },
  ]);
});
