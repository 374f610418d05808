import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { isNamespaceInit, isOwnNamespace, lastPid, listProcesses, markPids, mayHaveLapped, parseStat, shortestLapMs } from './process-table.ts';

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

it.each([
  ['NStgid:\t812\nNSpid:\t812\nNSpgid:\t812\n', true],
  ['NSpid:\t812\t7\nNSpgid:\t812\t7\n', false],
  ['Name:\tNSpid: 3\nNSpid:\t812\t7\n', false],
  ['Pid:\t812\n', false],
])('tells whether pids count as for their reader: %j', (status, expected) => {
  expect(isOwnNamespace(status)).toBe(expected);
});

it.each([
  ['812 (a) S 1 (b) D 7 812 812 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 99 0', false],
  ['812 (bwrap) D 7 812 812 0 -1 4194564 1 0 0 0 1 1 0 0 20 0 1 0 99 0', true],
])('tells a process that only ends from one that runs: %s', (line, expected) => {
  expect(parseStat(line)).toMatchObject({ pid: 812, state: 'D', parent: 7, startTime: 99, isExiting: expected });
});

it.skipIf(process.platform !== 'linux')('lists what has a number from one on', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const all = listProcesses();
  expect(listProcesses(pid).map((one) => one.pid)).toContain(pid);
  expect(Math.min(...listProcesses(pid).map((one) => one.pid))).toBe(pid);
  expect(all.length).toBeGreaterThan(listProcesses(pid).length);
  expect(lastPid()).toBeGreaterThan(0);
  expect(shortestLapMs()).toBeLessThan(60_000);
  child.kill();
  await once(child, 'exit');
});

it.skipIf(shortestLapMs() === 0).each([
  ['less time than any machine needs for it', 1, 0, false],
  ['more time, and few processes', 60_000, 5, false],
  ['more time, and more processes than there are pids', 60_000, 1e9, true],
  ['more time, and a system that counts no processes', 60_000, 0, true],
  ['more time, and a count that began anew', 60_000, -5, true],
])('knows whether pids may have come around: %s', (_, passedMs, count, expected) => {
  const later = { passedMs, count: () => 100 + count, lapMs: 1_000 };
  expect(mayHaveLapped({ at: 0, started: 100 }, later)).toBe(expected);
  expect(mayHaveLapped({ at: 0, started: undefined }, later)).toBe(passedMs >= 1_000);
});

it.skipIf(markPids().started === undefined)('counts the processes that start', async () => {
  const before = markPids();
  await once(spawn('true'), 'exit');
  expect(markPids().started).toBeGreaterThan(before.started ?? 0);
  expect(mayHaveLapped(before, { lapMs: 0 })).toBe(false);
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

it.skipIf(bubblewrap === undefined).each([
  ['the /proc of its own namespace', ['--proc', '/proc'], true],
  ['the /proc of an outer namespace', [], false],
])('a process with %s', async (_, mounts, expected) => {
  const argv = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', ...mounts, '--', 'cat', '/proc/self/status'];
  const { stdout } = await promisify(execFile)(bubblewrap?.program ?? '', argv);
  expect(isOwnNamespace(stdout)).toBe(expected);
});
