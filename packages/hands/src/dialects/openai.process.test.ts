import { describe, expect } from 'vitest';
import { checkContract } from '../testing/contract.ts';

describe("OpenAI's call items", () => {
  const operation = (type: string, path: string, diff?: string) => ({ type: 'apply_patch_call', call_id: 'c1', operation: { type, path, diff } });
  checkContract('openai', [
    {
      says: 'create_file',
      tool: 'apply_patch',
      input: operation('create_file', 'd/a', '+one\n+two\n'),
      value: { status: 'completed', output: 'A d/a' },
      leaves: { 'd/a': 'one\ntwo\n' },
    },
    {
      says: 'update_file',
      tool: 'apply_patch',
      files: { a: 'one\ntwo\nthree\n' },
      input: operation('update_file', 'a', '@@\n one\n-two\n+2\n three'),
      value: { status: 'completed', output: 'M a' },
      leaves: { a: 'one\n2\nthree\n' },
    },
    {
      says: 'an operation that is none, with what it may be',
      tool: 'apply_patch',
      input: operation('rename_file', 'a'),
      output:
        /operation: \{ type: "create_file", path: string, diff: string \} \| \{ type: "update_file", .* \| \{ type: "delete_file", path: string \}/u,
      isError: true,
    },
    {
      says: 'delete_file',
      tool: 'apply_patch',
      files: { a: 'x\n' },
      input: { operation: { type: 'delete_file', path: 'a' } },
      value: { status: 'completed', output: 'D a' },
    },
    {
      says: 'failed, with the reason',
      tool: 'apply_patch',
      files: { a: 'x\n' },
      input: operation('update_file', 'a', '@@\n-nowhere\n+y\n'),
      value: { status: 'failed', output: expect.stringContaining('not found') },
      isError: true,
    },
    {
      says: 'one operation, one file',
      tool: 'apply_patch',
      files: { a: 'x\n', b: 'y\n' },
      input: operation('update_file', 'a', '@@\n-x\n+z\n*** Delete File: b\n'),
      value: { status: 'failed', output: expect.stringContaining('names another file') },
      isError: true,
      leaves: { b: 'y\n' },
    },
    {
      says: 'shell_call: an output for each command',
      tool: 'shell',
      input: { action: { commands: ['echo a', 'echo b >&2; exit 2'], timeout_ms: 5_000, max_output_length: null } },
      value: [
        { stdout: 'a\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: 'b\n', outcome: { type: 'exit', exit_code: 2 } },
      ],
    },
    {
      says: 'shell_call: a timeout ends the list',
      tool: 'shell',
      input: { action: { commands: ['sleep 20', 'echo b'], timeout_ms: 200 } },
      value: [{ stdout: '', stderr: '', outcome: { type: 'timeout' } }],
    },
    {
      says: 'shell_call: not allowed',
      tool: 'shell',
      options: { allow: [], policy: { ask: ['exec(make *)'] } },
      input: { action: { commands: ['make it'] } },
      value: [{ stdout: '', stderr: expect.stringContaining('approval'), outcome: { type: 'exit', exit_code: 1 } }],
      isError: true,
    },
    {
      says: 'local_shell_call: words stay what they are',
      tool: 'local_shell',
      files: { 'd/here': '' },
      input: { action: { type: 'exec', command: ['sh', '-c', 'ls; echo "$V" "$0"', "it's $HOME"], env: { V: 'a b' }, working_directory: 'd' } },
      value: { stdout: "here\na b it's $HOME\n", stderr: '', exit_code: 0, timed_out: false },
    },
    {
      says: 'local_shell_call: another user',
      tool: 'local_shell',
      input: { action: { type: 'exec', command: ['id'], env: {}, user: 'root' } },
      value: expect.objectContaining({ stderr: expect.stringContaining('user') }),
      isError: true,
    },
    {
      says: 'local_shell_call: a variable that is none',
      tool: 'local_shell',
      input: { action: { type: 'exec', command: ['id'], env: { 'A;id': 'x' } } },
      isError: true,
    },
  ]);
});
