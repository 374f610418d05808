import { describe, expect, it } from 'vitest';
import { assertInput } from './job-input.ts';
import { linePattern } from './line-pattern.ts';
import { listeningInodes } from './wait-for.ts';
import { blockedOn } from './waits-for-input.ts';
import { PassThrough } from 'node:stream';
import { isJobId, newJobId } from './job-log.ts';

it('ids are names of files and nothing else', () => {
  expect(isJobId(newJobId())).toBe(true);
  for (const id of ['', 'job-', 'job-0123456', 'job-012345678', '../job-01234567', 'job-01234567\n', 'JOB-01234567']) expect(isJobId(id)).toBe(false);
});

describe('linePattern', () => {
  it('finds lines', () => {
    expect(linePattern('grep', '^b+$')(['a', 'bb', 'b', 'c'])).toEqual(['bb', 'b']);
  });

  it.each([
    ['(', 'is not a regular expression'],
    ['a'.repeat(1_001), 'is longer than'],
  ])('refuses %s', (pattern, why) => {
    expect(() => linePattern('grep', pattern)).toThrow(why);
  });

  it('stops one that backtracks without end', () => {
    expect(() => linePattern('grep', '(a+)+$')([`${'a'.repeat(50)}!`])).toThrow('takes longer than');
  });
});

it('reads which sockets listen on a port', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1FBB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0',
    '   1: 0100007F:1FBB 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0',
    '   2: 00000000:1FBC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0',
  ].join('\n');
  expect(listeningInodes(table, 8123)).toEqual(['4711']);
  expect(listeningInodes(table, 80)).toEqual([]);
});

it.each([
  ['0 0x0 0x7fff98ca592f 0x1 0x8', 'x64', 0],
  ['0 0x5 0x7fff98ca592f 0x1 0x8', 'x64', 5],
  ['63 0x0 0x7fff98ca592f 0x1 0x8', 'arm64', 0],
  ['7 0x7ffe44005bd0 0x2', 'x64', undefined],
  ['running', 'x64', undefined],
  ['', 'x64', undefined],
] as const)('%s is blocked reading', (line, architecture, descriptor) => {
  expect(blockedOn(line, architecture)).toBe(descriptor);
});

describe('what may be written to a job', () => {
  const job = { id: 'job-00000000', input: new PassThrough(), isOver: false, terminal: false, background: true };

  it.each(['', 'y', 'ls\n', 'if x:\n\tprint(1)\n', 'für\n', String.raw`echo \\n x`])('takes %j', (text) => {
    expect(() => assertInput(job, text)).not.toThrow();
  });

  it.each([
    ['keys that take a line back', 'ls\u0015rm -rf x\n'],
    ['an arrow, which brings back another line', '\u001b[A\n'],
    ['Enter as a key', 'ls\rrm -rf x'],
    ['a backspace', 'lsx\u007f\n'],
    ['the end of the input', 'ls\u0004'],
    ['a line that goes on in the next text', 'r\\'],
    ['the same with its end', 'r\\\n'],
  ])('refuses %s', (_, text) => {
    expect(() => assertInput(job, text)).toThrow('nothing was written');
  });

  it('refuses a key that completes words in a terminal', () => {
    expect(() => assertInput({ ...job, terminal: true }, 'r\t')).toThrow('control characters');
  });

  it.each([
    [{ isOver: true }, 'has ended'],
    [{ input: undefined, background: false }, 'started in the foreground'],
  ])('refuses a job that %j', (more, why) => {
    expect(() => assertInput({ ...job, ...more }, 'y')).toThrow(why);
  });
});
