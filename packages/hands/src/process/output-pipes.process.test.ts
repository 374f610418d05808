import { getEventListeners } from 'node:events';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readOutput } from './output-pipes.ts';

// A long-running server has one signal for thousands of calls, and Node keeps a joined one as long as anybody listens to it.
it.each<[how: string, end: (open: { stdout: PassThrough; stderr: PassThrough }, stop: AbortController) => void]>([
  ['both streams have ended', ({ stdout, stderr }) => [stdout, stderr].forEach((stream) => stream.end())],
  ['nothing came for a while', () => {}],
  ['it was told to stop', (_, stop) => stop.abort()],
])('listens to nobody any more once %s', async (_, end) => {
  const open = { stdout: new PassThrough(), stderr: new PassThrough() };
  const stop = new AbortController();
  using output = readOutput(open, () => {});
  const drained = output.drain(stop.signal);
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
  end(open, stop);
  await drained;
  await turn();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

/** Longer than silence is waited for. */
const HELD_UP_MS = 300;

it.skipIf(process.platform === 'win32')('takes what came while this process was held up', async () => {
  const name = join(await mkdtemp(join(tmpdir(), 'synapse-read-')), 'pipe');
  execFileSync('mkfifo', [name]);
  const reader = new Socket({ fd: openSync(name, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
  const writer = openSync(name, constants.O_WRONLY);
  let taken = '';
  using output = readOutput({ stdout: reader, stderr: new PassThrough().end().resume() }, (_, chunk) => void (taken += chunk.toString()));
  const drained = output.drain(new AbortController().signal);
  // Not closed: somebody else may hold the pipe for long.
  writeSync(writer, 'said in time\n');
  for (const until = performance.now() + HELD_UP_MS; performance.now() < until;);
  await drained;
  closeSync(writer);
  expect(taken).toBe('said in time\n');
});
