import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { endProcess } from './end-process.ts';

it('closes stdin of a process, and kills one that does not end', async () => {
  const stdin = new PassThrough();
  const killed = Promise.withResolvers<string>();
  const closed = once(stdin.resume(), 'end');
  using _ = endProcess({ stdin, kill: killed.resolve }, 0);
  await closed;
  expect(await killed.promise).toBe('SIGKILL');
});

it('kills no process that has ended in time', () => {
  vi.useFakeTimers();
  const kill = vi.fn<(signal: string) => void>();
  endProcess({ stdin: new PassThrough(), kill })[Symbol.dispose]();
  vi.runAllTimers();
  vi.useRealTimers();
  expect(kill).not.toHaveBeenCalled();
});
