import type { StopReason } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { PromptLine } from './prompt-line.ts';
import { WaitingRoom } from './waiting-room.ts';

/** A line, and prompts that end when the test says so. */
function line(room = new WaitingRoom()) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<StopReason>>();
  const prompts = new PromptLine(room);
  return {
    begun,
    prompts,
    end: (id: string) => ends.get(id)?.resolve('end_turn'),
    fail: (id: string) => ends.get(id)?.reject(new Error('no model')),
    add: async (id: string, { signal = new AbortController().signal, characters = 1 } = {}): Promise<string> =>
      await prompts.next(
        {
          characters,
          take: () => {
            begun.push(id);
            const end = Promise.withResolvers<StopReason>();
            ends.set(id, end);
            return { messageId: id, ended: end.promise };
          },
        },
        signal,
      ),
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
  const b = add('b', { signal: cancelled.signal });
  const c = add('c');
  cancelled.abort();
  await expect(b).rejects.toMatchObject({ code: -32_800 });
  expect(begun).toEqual(['a']);
  end('a');
  expect(await c).toBe('c');
});

it('goes on after a prompt that could not be taken', async () => {
  const { add, prompts } = line();
  const failing = prompts.next(
    {
      characters: 1,
      take: () => {
        throw new Error('empty');
      },
    },
    new AbortController().signal,
  );
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

it('bounds what waits in all lines, and not what need not wait', async () => {
  const characters = 40 * 1024 * 1024;
  const room = new WaitingRoom();
  const [one, two] = [line(room), line(room)];
  expect([await one.add('a', { characters }), await two.add('a', { characters })]).toEqual(['a', 'a']);
  const held = one.add('b', { characters });
  await expect(one.add('c', { characters })).rejects.toMatchObject({ code: 'busy' });
  await expect(two.add('b', { characters })).rejects.toMatchObject({ code: 'busy' });
  // What was refused left no trace.
  two.end('a');
  await expect.poll(() => two.add('c', { characters })).toBe('c');
  // What begins waits no more, and what is withdrawn neither.
  one.end('a');
  expect(await held).toBe('b');
  const withdrawn = one.add('d', { characters });
  one.prompts.withdraw();
  await expect(withdrawn).rejects.toMatchObject({ code: -32_800 });
  const last = two.add('d', { characters });
  two.end('c');
  expect(await last).toBe('d');
});
