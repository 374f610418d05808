import { expect, it } from 'vitest';
import { standStill } from '../../testing/stand-still.ts';
import { Supervisor } from './supervisor.ts';

it.each([
  ['a machine that stands still loses no server that answers afterwards', 600, 'ready'],
  ['a server that never says hello is not waited for', 0, 'waiting'],
] as const)('%s', async (_, stoodStill, kind) => {
  const { promise, resolve, reject } = Promise.withResolvers<AsyncDisposable>();
  const supervisor = new Supervisor({
    name: 'one',
    open: async (signal) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      return await promise;
    },
    openMs: 300,
    onState: () => {},
  });
  supervisor.want();
  if (stoodStill > 0) {
    setTimeout(resolve, 310, { [Symbol.asyncDispose]: async () => {} });
    standStill(stoodStill);
  }
  await supervisor.settled();
  expect(supervisor.state).toMatchObject({ kind });
  await supervisor.stop();
});
