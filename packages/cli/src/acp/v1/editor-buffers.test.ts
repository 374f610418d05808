import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { editorBuffers } from './editor-buffers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Options {
  readonly cancellationSignal?: AbortSignal;
  readonly stopWaitingOnCancel?: boolean;
}

/** An editor that answers each request as the test says, and drops those that the test names. */
function editor() {
  const open = new Map<string, PromiseWithResolvers<unknown>>();
  let asked = 0;
  const request = (_: string, { path }: { readonly path: string }, { cancellationSignal, stopWaitingOnCancel }: Options = {}): Promise<unknown> => {
    asked += 1;
    const answer = Promise.withResolvers<unknown>();
    open.set(path, answer);
    cancellationSignal?.addEventListener('abort', () => {
      open.delete(path);
      if (stopWaitingOnCancel === true) answer.reject(cancellationSignal.reason);
    });
    return answer.promise;
  };
  const client = { request } as unknown as Parameters<typeof editorBuffers>[0]['client'];
  const buffers = editorBuffers({ client, sessionId: 's', fs: { readTextFile: true }, nameOf: (path) => path });
  if (buffers === undefined) throw new Error('The editor tells its texts.');
  return { buffers, open, asked: () => asked };
}

const going = new AbortController().signal;

it('a read that is not answered is cancelled after 2 s, and the editor is asked again 30 s later', async () => {
  const { buffers, open, asked } = editor();
  const first = buffers.read('a', going);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await first).toBe('silent');
  expect([...open.keys()]).toEqual([]);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(await buffers.read('b', going)).toBe('silent');
  expect(asked()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  const later = buffers.read('c', going);
  open.get('c')?.resolve({ content: 'new' });
  expect(await later).toEqual({ text: 'new' });
});

it('a call that is cancelled takes its question back, and the editor is asked by the next one', async () => {
  const { buffers, open } = editor();
  const ending = new AbortController();
  const first = buffers.read('a', ending.signal);
  ending.abort(new Error('cancelled'));
  await expect(first).rejects.toThrow('cancelled');
  expect([...open.keys()]).toEqual([]);
  const next = buffers.read('b', going);
  open.get('b')?.reject(new Error('not open'));
  expect(await next).toBe('nothing');
});

it('a call that was cancelled before does not wait', async () => {
  const { buffers, asked } = editor();
  await expect(buffers.read('a', AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
  expect([asked(), vi.getTimerCount()]).toEqual([0, 0]);
});
