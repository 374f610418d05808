import { createDevice, openDevice, type DataFrame } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { SealedFrames } from './sealed-frames.ts';

it('keeps the order of frames, whether their keys are there or have to be derived first', async () => {
  const [me, you, third] = await Promise.all([1, 2, 3].map(async () => await openDevice(await createDevice())));
  if (me === undefined || you === undefined || third === undefined) throw new Error('no devices');
  const failures: unknown[] = [];
  const identityOf = (id: string): string | undefined => [me, you, third].find((device) => device.id === id)?.identity;
  const frames = new SealedFrames(me, 'm1', identityOf, (error) => failures.push(error));
  const told: string[] = [];
  const say = (id: string, to: string): void => {
    const frame: DataFrame = { type: 'cancel', tool_call_id: id, ledger: 'l' };
    frames.seal(frame, to, () => told.push(id));
  };
  say('a', you.id);
  say('b', you.id);
  expect(told).toEqual([]);
  await frames.sealed();
  say('c', you.id);
  // The keys for the third device are not there yet, and those for the second are.
  say('d', third.id);
  say('e', you.id);
  await frames.sealed();
  say('f', third.id);
  expect({ told, failures }).toEqual({ told: ['a', 'b', 'c', 'd', 'e', 'f'], failures: [] });
});

it('tells a failure, and goes on', async () => {
  const me = await openDevice(await createDevice());
  const failures: unknown[] = [];
  const frames = new SealedFrames(
    me,
    'm1',
    (id) => (id === me.id ? me.identity : undefined),
    (error) => failures.push(error),
  );
  const cancel: DataFrame = { type: 'cancel', tool_call_id: 'c', ledger: 'l' };
  const broken = new Error('no room');
  const told: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    frames.seal(cancel, me.id, () => {
      throw broken;
    });
    frames.seal(cancel, me.id, ({ type }) => told.push(type));
    await frames.sealed();
  }
  expect({ told, failures }).toEqual({ told: ['cancel', 'cancel'], failures: [broken, broken] });
});
