import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { isNamespaceInit } from './process-table.ts';

it.each([
  ['NStgid:\t812\t1\nNSpid:\t812\t1\nNSpgid:\t0\n', true],
  ['NSpid:\t812\t7\t1\n', true],
  ['NSpid:\t812\t2\nNSpgid:\t812\t1\n', false],
  ['NSpid:\t812\n', false],
  // The first of all is that of no namespace inside.
  ['NSpid:\t1\n', false],
  ['Name:\tNSpid: 3 1\nNSpid:\t812\n', false],
  ['', false],
])('tells the first process of a namespace: %j', (status, expected) => {
  expect(isNamespaceInit(status)).toBe(expected);
});

const bubblewrap = await findBubblewrap();

it.skipIf(bubblewrap === undefined)('finds the one of a sandbox, and not what runs in it', async () => {
  const argv = [
    '--unshare-user',
    '--unshare-pid',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--',
    'sh',
    '-c',
    'echo up; read line',
  ];
  const child = spawn(bubblewrap?.program ?? '', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const statusOf = (pid: string): string => readFileSync(`/proc/${pid}/status`, 'utf8');
  const below = (pid: string): string[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .flatMap((one) => (one === '' ? [] : [one, ...below(one)]));
  expect(readdirSync(`/proc/${child.pid}/task`)).toHaveLength(1);
  expect(below(String(child.pid)).map((pid) => isNamespaceInit(statusOf(pid)))).toEqual([true, false]);
  expect(isNamespaceInit(statusOf(String(child.pid)))).toBe(false);
  child.stdin.end();
  await once(child, 'exit');
});
