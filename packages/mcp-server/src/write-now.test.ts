import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { immediateWriter } from './write-now.ts';

it('leaves a stream without a descriptor alone', () => {
  expect(immediateWriter(new PassThrough())).toBeUndefined();
});

it.runIf(process.platform === 'linux')('keeps every text whole and in order, however full the pipe is', async () => {
  const pipe = join(await mkdtemp(join(tmpdir(), 'synapse-pipe-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  // As `process.stdout` is one: a socket over a descriptor, which it names.
  const output = Object.assign(new Socket({ fd, readable: false }), { fd });
  const writeNow = immediateWriter(output);
  const lines = Array.from({ length: 60 }, (_, index) => `${index} ${'ä€😀'.repeat(50 + 37 * index)}\n`);
  const taken = lines.map((line) => {
    const now = writeNow?.(line) === true;
    if (!now) output.write(line);
    return now;
  });
  // Some fit into the pipe, one in part, and then there is no more room.
  expect(new Set(taken)).toEqual(new Set([true, false]));
  expect(taken.toSorted((a, b) => Number(b) - Number(a))).toEqual(taken);
  const stream = createReadStream(pipe);
  // With no reader at all in between, the writer would fail.
  await once(stream, 'open');
  closeSync(reader);
  const read = text(stream);
  output.end();
  expect((await read) === lines.join('')).toBe(true);
});

it('does not take what is too long for its memory, nor what comes after the end', async () => {
  const child = spawn('cat', [], { stdio: ['pipe', 'ignore', 'inherit'] });
  const output = Object.assign(child.stdin, { fd: 1 << 20 });
  const writeNow = immediateWriter(output);
  // A descriptor that is not open stands for a reader that is gone.
  expect([writeNow?.('x'), writeNow?.('x'.repeat(100_000))]).toEqual([false, false]);
  output.end();
  expect(writeNow?.('x')).toBe(false);
  await once(child, 'exit');
});
