import { expect, it } from 'vitest';
import { Remembered } from './remembered.ts';

function setUp() {
  const state = { version: 1 as number | undefined, time: 0, worked: 0 };
  const remembered = new Remembered<number>({ version: async () => state.version }, () => state.time);
  const ask = (question = 'a', during = (): void => {}, isWhole?: (answer: number) => boolean): Promise<number> =>
    remembered.get(
      question,
      async () => {
        during();
        return (state.worked += 1);
      },
      isWhole,
    );
  return { state, ask };
}

it('answers from memory while nothing changes, each question for itself', async () => {
  const { ask } = setUp();
  expect([await ask(), await ask(), await ask('b'), await ask()]).toEqual([1, 1, 2, 1]);
});

it('forgets with any change, and after a minute', async () => {
  const { state, ask } = setUp();
  await ask();
  state.version = 2;
  expect(await ask()).toBe(2);
  state.time = 59_999;
  expect(await ask()).toBe(2);
  state.time = 60_000;
  expect(await ask()).toBe(3);
});

it.each([
  ['the version is not known', undefined, (): boolean => true],
  ['it is not whole', 1, (): boolean => false],
])('remembers nothing where %s', async (_, version, isWhole) => {
  const { state, ask } = setUp();
  state.version = version;
  expect([await ask('a', undefined, isWhole), await ask('a', undefined, isWhole)]).toEqual([1, 2]);
});

it('remembers nothing that changed while it was worked out', async () => {
  const { state, ask } = setUp();
  await ask('a', () => {
    state.version = 2;
  });
  expect(await ask()).toBe(2);
});

it('keeps a few answers', async () => {
  const { ask } = setUp();
  for (let question = 0; question < 17; question += 1) await ask(String(question));
  expect(await ask('16')).toBe(17);
  expect(await ask('0')).toBe(18);
});
