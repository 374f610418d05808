import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { createApprovalQueue } from './approval-queue.ts';

/** Hands that ask about writing, and the question about one write. */
async function asked() {
  const queue = createApprovalQueue();
  const at = await temporaryHands({}, { allow: [], approver: queue });
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = queue.subscribe(resolve);
  const controller = new AbortController();
  const call = at.hands.call('write_file', { path: 'a.txt', content: 'A\n' }, { signal: controller.signal });
  await promise;
  end();
  const [pending] = queue.pending();
  if (pending === undefined) throw new Error('nothing is asked');
  return { queue, at, call, pending, controller };
}

it('holds a question until somebody answers it, once', async () => {
  const { queue, at, call, pending } = await asked();
  await using _ = at;
  expect(pending.request).toMatchObject({ tool: 'write_file', arguments: { path: 'a.txt', content: 'A\n' }, effects: ['writes a.txt'] });
  expect(queue.answer('another id', pending.request.fingerprint, { verdict: 'allow', scope: 'once' })).toBe(false);
  expect(queue.answer(pending.id, 'another fingerprint', { verdict: 'allow', scope: 'once' })).toBe(false);
  expect(queue.pending()).toHaveLength(1);
  expect(queue.answer(pending.id, pending.request.fingerprint, { verdict: 'deny', reason: 'use b.txt' })).toBe(true);
  expect(queue.answer(pending.id, pending.request.fingerprint, { verdict: 'allow', scope: 'once' })).toBe(false);
  expect(await call).toMatchObject({ ok: false, error: { code: 'denied', hint: 'They said: use b.txt' } });
  expect(queue.pending()).toEqual([]);
});

it('lets a call go on that is allowed', async () => {
  const { queue, at, call, pending } = await asked();
  await using _ = at;
  queue.answer(pending.id, pending.request.fingerprint, { verdict: 'allow', scope: 'once' });
  expect(await call).toMatchObject({ ok: true });
});

it('forgets the question of a call that was cancelled', async () => {
  const { queue, at, call, controller } = await asked();
  await using _ = at;
  controller.abort();
  expect(await call).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(queue.pending()).toEqual([]);
});

it('forgets the question of hands that close', async () => {
  const { queue, at, call } = await asked();
  await at[Symbol.asyncDispose]();
  expect(await call).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(queue.pending()).toEqual([]);
});

it('denies what is too much to read', async () => {
  const queue = createApprovalQueue();
  await using at = await temporaryHands({}, { allow: [], approver: queue });
  const calls = Array.from({ length: 101 }, (_, index) => at.hands.call('write_file', { path: `${index}.txt`, content: '' }));
  expect(await Promise.race(calls)).toMatchObject({ error: { code: 'denied', hint: expect.stringContaining('Too many questions') as string } });
  expect(queue.pending()).toHaveLength(100);
});

it('holds no question of a call that was cancelled before', async () => {
  const { queue, at, call, pending, controller } = await asked();
  await using _ = at;
  const heard: number[] = [];
  const end = queue.subscribe(() => void heard.push(queue.pending().length));
  expect(await queue.ask(pending.request, AbortSignal.abort())).toMatchObject({ verdict: 'deny' });
  expect(queue.pending()).toEqual([pending]);
  controller.abort();
  await call;
  // Who shows questions has to hear of each that is gone.
  expect(heard).toEqual([1, 0]);
  end();
});
