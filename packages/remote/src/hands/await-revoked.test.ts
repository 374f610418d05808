import { deviceId } from '@synapse/protocol/remote';
import { expect, it, vi } from 'vitest';
import { counted } from '../fixtures/bench.ts';
import { pairedBench } from '../fixtures/paired-bench.ts';
import { awaitRevoked } from './await-revoked.ts';

it('who revokes a device learns what ended with its access', { timeout: 60_000 }, async () => {
  // Its call would last for a minute.
  await using here = await pairedBench([{}, {}], 60_000);
  const [device, other] = here.devices;
  if (device === undefined || other === undefined) throw new Error('There are two.');
  await using brain = here.brain(device);
  const made = brain.call('count', { text: 'long' });
  await vi.waitFor(() => expect(counted(here.bench.counter).get('long')).toBe(1), { timeout: 20_000 });
  const since = Date.now();
  const revoked = here.paired.revoke(({ identity }) => identity === device.identity);
  const served = { workspace: here.bench.folder, session: 'desk' };
  expect(revoked).toMatchObject([served]);
  const id = deviceId(device.identity);
  expect(await awaitRevoked(here.bench.state, id, [served, { ...served, session: 'unserved' }], since)).toEqual([
    { session: 'desk', pid: process.pid, ended: { device: id, calls: 1, jobs: 0, at: expect.any(Number) as number } },
  ]);
  expect(await made).toMatchObject({ ok: false });
  // Of another device, nothing was ended.
  expect(await awaitRevoked(here.bench.state, deviceId(other.identity), [served], since)).toMatchObject([{ ended: undefined }]);
});
