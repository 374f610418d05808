import { expect, it } from 'vitest';
import { explainLimits } from './explain-limits.ts';
import { DEFAULT_RESOURCE_LIMITS } from './resource-limits.ts';

const explain = (said: string, exitCode: number | null, signal: NodeJS.Signals | null = null): string =>
  explainLimits(said, { exitCode, signal }, DEFAULT_RESOURCE_LIMITS).join(' · ');

it.each<readonly [string, string, number | null, NodeJS.Signals | null, RegExp]>([
  ['a program that the kernel ended', '', 153, null, /^a command can write at most 4 GiB to one file/u],
  ['the command itself', '', null, 'SIGXFSZ', /4 GiB/u],
  ['one before others', '/bin/bash: line 1:     4 File size limit exceededtruncate -s 5G big\n', 0, null, /4 GiB/u],
  ['Node', 'Error: EFBIG: file too large, ftruncate', 1, null, /4 GiB/u],
  ['Python', 'OSError: [Errno 27] File too large', 1, null, /4 GiB/u],
  ['a program without end', '', 152, null, /^each process of a command can use 60 minutes/u],
])('a limit is named: %s', (_, said, exitCode, signal, told) => expect(explain(said, exitCode, signal)).toMatch(told));

it.each([
  ['an ordinary failure', '', 1],
  ['a server that refuses an upload', 'HTTP 413 File too large for this form', 1],
  ['success', 'ok', 0],
])('no limit is named: %s', (_, said, exitCode) => expect(explain(said, exitCode)).toBe(''));
