import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deviceId } from '@synapse/protocol/remote';
import { expect, it, vi } from 'vitest';
import { counted } from '../fixtures/bench.ts';
import { pairedBench } from '../fixtures/paired-bench.ts';
import { awaitRevoked } from './await-revoked.ts';
import { LedgerFile } from './ledger-file.ts';
import { sessionFolder } from './session-records.ts';

it('who revokes a device learns what ended with its access', { timeout: 60_000 }, async () => {
  // Its call would last for a minute.
  await using here = await pairedBench([{}, {}], 60_000);
  const [device, other] = here.devices;
  if (device === undefined || other === undefined) throw new Error('There are two.');
  await using brain = here.brain(device);
  const made = brain.call('count', { text: 'long' });
  await vi.waitFor(() => expect(counted(here.bench.counter).get('long')).toBe(1), { timeout: 60_000 });
  const since = Date.now();
  const revoked = here.paired.revoke(({ identity }) => identity === device.identity);
  const served = { workspace: here.bench.folder, session: 'desk' };
  expect(revoked).toMatchObject([served]);
  const id = deviceId(device.identity);
  expect(await awaitRevoked(here.bench.state, id, [served, { ...served, session: 'unserved' }], since)).toEqual([
    { session: 'desk', pid: process.pid, ended: { device: id, calls: 1, jobs: 0, ports: 0, at: expect.any(Number) as number } },
  ]);
  expect(await made).toMatchObject({ ok: false });
  // Of another device, nothing was ended.
  expect(await awaitRevoked(here.bench.state, deviceId(other.identity), [served], since)).toMatchObject([{ ended: undefined }]);
});

it('names no process where the record of a session does not say which', async () => {
  const state = await mkdtemp(join(tmpdir(), 'synapse-revoked-'));
  const folder = sessionFolder(state, '/workspace', 'desk');
  using _served = new LedgerFile(join(folder, 'ledger.sqlite'));
  await writeFile(join(folder, 'status.json'), '{"pid":');
  expect(await awaitRevoked(state, 'device', [{ workspace: '/workspace', session: 'desk' }], Date.now())).toEqual([
    { session: 'desk', pid: undefined, ended: undefined },
  ]);
});
