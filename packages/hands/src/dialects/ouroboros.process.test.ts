import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import { blockedReason } from './ouroboros.ts';

describe('contract 6: ouroboros', () => {
  checkContract('ouroboros', [
    {
      says: '`{stdout, stderr, exit_code, timed_out}`',
      tool: 'shell_exec',
      input: { command: 'echo o; echo e >&2; exit 2' },
      value: { stdout: 'o\n', stderr: 'e\n', exit_code: 2, timed_out: false },
      output: '{"stdout":"o\\n","stderr":"e\\n","exit_code":2,"timed_out":false}',
    },
    {
      says: 'configurable timeout',
      tool: 'shell_exec',
      callOptions: { timeoutMs: 2_000 },
      input: { command: 'echo first; sleep 20' },
      value: { stdout: 'first\n', stderr: '', exit_code: 124, timed_out: true },
    },
    {
      says: 'runs in the workspace',
      tool: 'shell_exec',
      files: { here: '' },
      input: { command: 'ls' },
      value: { stdout: 'here\n', stderr: '', exit_code: 0, timed_out: false },
    },
    {
      says: 'filtered against a blocklist',
      tool: 'shell_exec',
      input: { command: 'rm -rf /' },
      value: { error: expect.stringContaining('blocked') },
      isError: true,
    },
    {
      says: 'results are whole here',
      tool: 'shell_exec',
      input: { command: 'seq 100000' },
      value: expect.toSatisfy(
        ({ stdout }: { stdout: string }) => stdout.endsWith('\n100000\n') && stdout.startsWith('1\n2\n') && stdout.length === 588_895,
      ),
    },
    { says: 'text', tool: 'file_read', files: { a: 'text' }, input: { path: 'a' }, output: 'text' },
    {
      says: '`path` (relative or absolute)',
      tool: 'file_read',
      files: { a: 'text' },
      makeInput: ({ at }) => ({ path: at('a') }),
      output: 'text',
    },
    {
      says: "in this dialect's default policy reading is not confined (writing is)",
      options: { allow: ['write'], readable: ['/'] },
      prepare: ({ outside }) => writeFileSync(join(outside, 'text'), 'outside'),
      tool: 'file_read',
      makeInput: ({ outside }) => ({ path: join(outside, 'text') }),
      output: 'outside',
    },
    {
      says: '(writing is)',
      options: { allow: ['write'], readable: ['/'] },
      tool: 'file_write',
      makeInput: ({ outside }) => ({ path: join(outside, 'text'), content: '' }),
      value: { error: expect.stringContaining('outside the workspace') },
      isError: true,
    },
    {
      says: 'not confined only where that was granted',
      tool: 'file_read',
      makeInput: ({ outside }) => ({ path: join(outside, 'text') }),
      value: { error: expect.stringContaining('outside the workspace') },
      isError: true,
    },
    {
      says: '`{"error": TEXT}`',
      tool: 'file_read',
      input: { path: 'none' },
      value: { error: expect.stringMatching(/^File not found: none/u) },
      isError: true,
    },
    {
      says: '`{written_bytes, path}`; parents created',
      tool: 'file_write',
      input: { path: 'a/b', content: 'grüße' },
      value: { written_bytes: 7, path: 'a/b' },
      leaves: { 'a/b': 'grüße' },
    },
    {
      says: 'only inside the workspace',
      tool: 'file_write',
      input: { path: '/tmp/ouroboros-outside', content: '' },
      value: { error: expect.stringContaining('outside the workspace') },
      isError: true,
    },
    {
      says: 'any failure is `{"error": TEXT}`',
      tool: 'shell_exec',
      options: { allow: [], policy: { ask: ['exec(make *)'] } },
      input: { command: 'make it' },
      value: { error: expect.stringContaining('needs approval') },
      isError: true,
    },
    { says: 'wrong arguments', tool: 'file_write', input: 'no JSON', value: { error: expect.any(String) }, isError: true },
    {
      says: 'unknown name: `{"error":"Unknown tool: NAME"}`',
      tool: 'NAME',
      output: '{"error":"Unknown tool: NAME"}',
      value: { error: 'Unknown tool: NAME' },
      isError: true,
    },
  ]);
});

describe('the blocklist', () => {
  it.each([
    'rm -rf /',
    'rm -fr /*',
    'sudo rm -r -f /',
    'rm --recursive --force /',
    'rm -rf ~',
    'rm -rf "$HOME"',
    'cd / && rm -rf /',
    'true; rm -rf / ; echo',
    'rm -rf --no-preserve-root /',
    'mkfs.ext4 /dev/sda1',
    'dd if=/dev/zero of=/dev/sda',
    'echo x > /dev/sda',
    ':(){ :|:& };:',
    'shutdown -h now',
    'sudo reboot',
    'init 0',
    'chmod -R 777 /',
    'shred -n 3 /dev/nvme0n1',
    'if true; then poweroff; fi',
    '$(reboot)',
  ])('stops %s', (command) => {
    expect(blockedReason(command)).toBeTypeOf('string');
  });

  it.each([
    'rm -rf build',
    'rm -rf ./',
    'rm -rf /tmp/x',
    'rm -f /tmp/a',
    'rm -rf ~/project/dist',
    'grep reboot log.txt',
    'echo "rm -rf is dangerous"',
    'dd if=a of=b',
    'dd if=a of=/dev/null',
    'cat a > /dev/null 2>&1',
    'npm run shutdown',
    'git init',
    'chmod -R u+w src',
    'ls /',
    'halt=1 node x',
  ])('lets %s pass', (command) => {
    expect(blockedReason(command)).toBeUndefined();
  });
});
