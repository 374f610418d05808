import type { StopReason } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { PromptLine } from './prompt-line.ts';

/** A line, and prompts that end when the test says so. */
function line() {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<StopReason>>();
  const prompts = new PromptLine();
  return {
    begun,
    prompts,
    end: (id: string) => ends.get(id)?.resolve('end_turn'),
    fail: (id: string) => ends.get(id)?.reject(new Error('no model')),
    add: async (id: string, signal = new AbortController().signal): Promise<string> =>
      await prompts.next(() => {
        begun.push(id);
        const end = Promise.withResolvers<StopReason>();
        ends.set(id, end);
        return { messageId: id, ended: end.promise };
      }, signal),
  };
}

it('takes prompts in order, each after the end or the failure of the one before', async () => {
  const { add, begun, end, fail } = line();
  expect(await add('a')).toBe('a');
  const [b, c] = [add('b'), add('c')];
  expect(begun).toEqual(['a']);
  fail('a');
  expect(await b).toBe('b');
  expect(begun).toEqual(['a', 'b']);
  end('b');
  expect(await c).toBe('c');
});

it('withdraws those that wait, and takes those that come later', async () => {
  const { add, begun, end, prompts } = line();
  await add('a');
  const b = add('b');
  prompts.withdraw();
  const c = add('c');
  await expect(b).rejects.toMatchObject({ code: -32_800 });
  expect(begun).toEqual(['a']);
  end('a');
  expect(await c).toBe('c');
});

it('withdraws one whose request is cancelled, and keeps the order of the others', async () => {
  const { add, begun, end } = line();
  await add('a');
  const cancelled = new AbortController();
  const b = add('b', cancelled.signal);
  const c = add('c');
  cancelled.abort();
  await expect(b).rejects.toMatchObject({ code: -32_800 });
  expect(begun).toEqual(['a']);
  end('a');
  expect(await c).toBe('c');
});

it('goes on after a prompt that could not be taken', async () => {
  const { add, prompts } = line();
  const failing = prompts.next(() => {
    throw new Error('empty');
  }, new AbortController().signal);
  await expect(failing).rejects.toThrow('empty');
  expect(await add('b')).toBe('b');
});

it('is bounded', async () => {
  const { add, prompts } = line();
  await add('a');
  const waiting = Array.from({ length: 16 }, (_, index) => add(`${index}`));
  await expect(add('one more')).rejects.toThrow('16 prompts of this session wait already');
  prompts.withdraw();
  await Promise.allSettled(waiting);
});
