import { describe } from 'vitest';
import { checkContract } from '../testing/contract.ts';

describe('Gemini CLI', () => {
  checkContract('gemini-cli', [
    {
      says: 'list_directory',
      tool: 'list_directory',
      files: { 'd/x': '', a: '12', skip: '' },
      input: { dir_path: '.', ignore: ['skip'] },
      output: 'Directory listing for .:\n[DIR] d\na (2 bytes)\n',
    },
    { says: 'read_file', tool: 'read_file', files: { a: '1\n2\n3\n' }, input: { file_path: 'a', start_line: 2, end_line: 2 }, output: /^2\n/u },
    {
      says: 'write_file',
      tool: 'write_file',
      input: { file_path: 'a', content: 'x' },
      leaves: { a: 'x' },
    },
    {
      says: 'replace',
      tool: 'replace',
      files: { a: 'x x\n' },
      input: { file_path: 'a', instruction: 'why', old_string: 'x', new_string: 'y', allow_multiple: true },
      leaves: { a: 'y y\n' },
    },
    {
      says: 'glob',
      tool: 'glob',
      files: { 'd/a.ts': '' },
      input: { pattern: '*.ts', dir_path: 'd' },
      output: 'Found 1 file(s) matching "*.ts", newest first:\nd/a.ts\n',
    },
    {
      says: 'grep_search',
      tool: 'grep_search',
      files: { a: 'no\nYES\n' },
      input: { pattern: 'yes', before: 1 },
      output: 'Found 1 matches for pattern "yes":\n---\nFile: a\nL1- no\nL2: YES\n---\n',
    },
    {
      says: 'grep_search: names_only',
      tool: 'grep_search',
      files: { a: 'x' },
      input: { pattern: 'x', names_only: true },
      output: 'Found 1 files with matches for pattern "x":\na\n',
    },
    {
      says: 'run_shell_command',
      tool: 'run_shell_command',
      files: { 'd/x': '' },
      input: { command: 'ls; exit 2', dir_path: 'd' },
      output: 'Output: x\nExit Code: 2',
      isError: true,
    },
    {
      says: 'wrong arguments',
      tool: 'read_file',
      input: { path: 'a' },
      output: /^Error: Invalid parameters provided\. Reason: read_file: file_path is missing/u,
      isError: true,
    },
  ]);
});
