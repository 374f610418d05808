import { describe, expect } from 'vitest';
import { checkContract } from '../testing/contract.ts';

describe('Codex', () => {
  const patch = '*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** End Patch\n';
  checkContract('codex', [
    {
      says: 'shell',
      tool: 'shell',
      files: { 'd/x': '' },
      input: { command: ['bash', '-lc', 'ls && exit 3'], workdir: 'd' },
      output: /^Exit code: 3\nWall time: \d+\.\d seconds\nOutput:\nx\n$/u,
      isError: true,
    },
    { says: 'shell_command', tool: 'shell_command', input: { command: 'echo hi', login: true }, output: /^Exit code: 0\n.*\nOutput:\nhi\n$/u },
    {
      says: 'shell_command: timeout_ms',
      tool: 'shell_command',
      input: { command: 'sleep 20', timeout_ms: 200 },
      output: /^Exit code: 124\n.*\nOutput:\ncommand timed out after \d+ milliseconds\n$/u,
      isError: true,
    },
    {
      says: 'exec_command: max_output_tokens',
      tool: 'exec_command',
      input: { cmd: 'seq 1000', max_output_tokens: 100 },
      value: expect.toSatisfy((output: string) => output.length < 1_000),
    },
    {
      says: 'no way out of the sandbox',
      tool: 'exec_command',
      input: { cmd: 'id', sandbox_permissions: 'require_escalated' },
      isError: true,
      output: /sandbox_permissions/u,
    },
    {
      says: 'apply_patch by shell, as models for Codex call it',
      tool: 'shell',
      input: { command: ['bash', '-lc', "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"], workdir: 'd' },
      output: 'Success. Updated the following files:\nA d/a\n',
      leaves: { 'd/a': 'x\n' },
    },
    {
      says: 'apply_patch',
      tool: 'apply_patch',
      files: { a: 'one\n' },
      input: { input: patch },
      output: 'Success. Updated the following files:\nM a\n',
    },
    {
      says: 'apply_patch that does not fit',
      tool: 'apply_patch',
      files: { a: 'two\n' },
      input: { input: patch },
      isError: true,
      output: /not found in a/u,
    },
    { says: 'read_file', tool: 'read_file', files: { a: 'x\ny\n' }, input: { file_path: 'a', offset: 2 }, output: 'L2: y\n' },
    { says: 'list_dir', tool: 'list_dir', files: { 'd/e/f': '', 'd/a': '' }, input: { dir_path: 'd' }, output: 'e/\n  f\na\n' },
    {
      says: 'list_dir: limit',
      tool: 'list_dir',
      files: { a: '', b: '', c: '' },
      input: { dir_path: '.', offset: 2, limit: 1 },
      output: 'b\nMore than 2 entries found\n',
    },
    { says: 'grep_files', tool: 'grep_files', files: { 'a.ts': 'x', 'b.js': 'x' }, input: { pattern: 'x', include: '*.ts' }, output: 'a.ts\n' },
    { says: 'no such tool', tool: 'update_plan', output: 'unsupported call: update_plan', isError: true },
  ]);
});
