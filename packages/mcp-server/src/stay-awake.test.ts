import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { stayAwake } from './stay-awake.ts';

const isTurning = (): boolean => process.getActiveResourcesInfo().includes('Immediate');

it('turns for a moment after each answer, and then lets the process sleep and end', async () => {
  const awake = stayAwake(2);
  expect(isTurning()).toBe(false);
  for (const _ of [1, 2]) {
    awake();
    awake();
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Immediate')).toHaveLength(1);
    while (isTurning()) await delay(1);
  }
});

it('leaves the only processor to the client', () => {
  stayAwake(1)();
  expect(isTurning()).toBe(false);
});
