import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readOutput } from './read-output.ts';

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
