import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

it('reads nothing once the hands are closed', async () => {
  const { hands, ...place } = await temporaryHands();
  expect(() => hands.warmUp()).not.toThrow();
  await place[Symbol.asyncDispose]();
  expect(() => hands.warmUp()).not.toThrow();
});
