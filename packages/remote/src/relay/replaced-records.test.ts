import { createDevice } from '@synapse/protocol/remote';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { pairedBench } from '../fixtures/paired-bench.ts';
import { fastPace } from '../fixtures/fast-pace.ts';
import { RelayRecords } from './relay-records.ts';

/** Ticks of a relay come a hundred times as fast. */
const pace = fastPace(100);

it.each([
  ['gone', (file: string) => rmSync(file), /is gone/u],
  ['half written', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20)), /is damaged/u],
])('a list of machines that is %s for a while ends no machine, and the relay says so', { timeout: 30_000 }, async (_name, harm, said) => {
  const lines: string[] = [];
  await using here = await pairedBench([{}], 0, {}, { pace, onStatus: (line) => lines.push(line) });
  await using brain = here.brain(here.devices[0]!);
  expect(await brain.call('count', { text: 'a' })).toMatchObject({ ok: true });
  const file = join(here.bench.state, 'relay', 'machines.json');
  const current = readFileSync(file, 'utf8');
  harm(file);
  await vi.waitFor(() => expect(lines).toContainEqual(expect.stringMatching(said)), { timeout: 60_000 });
  expect(await brain.call('count', { text: 'b' })).toMatchObject({ ok: true });
  // The relay says it once, and what its owner does counts from the next list on.
  expect(lines).toHaveLength(1);
  writeFileSync(file, current, { mode: 0o600 });
  here.records.remove(() => true);
  await here.connected.stopped;
  expect(here.said.at(-1)).toContain('does not accept this key');
});

it('a list of machines that is that of a backup does not end a machine for good', { timeout: 30_000 }, async () => {
  await using here = await pairedBench([{}], 0, {}, { pace });
  await using brain = here.brain(here.devices[0]!);
  expect(await brain.call('count', { text: 'a' })).toMatchObject({ ok: true });
  const file = join(here.bench.state, 'relay', 'machines.json');
  const current = readFileSync(file, 'utf8');
  const replace = (text: string): void => {
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  replace('[]');
  await vi.waitFor(() => expect(here.said.at(-1)).toContain('its records may be those of a backup'), { timeout: 60_000 });
  replace(current);
  expect(await brain.call('count', { text: 'b' })).toMatchObject({ ok: true });
});

it('a machine that was removed and enrolled again counts as missing, not as removed', async () => {
  await using here = await pairedBench();
  const records = new RelayRecords(join(here.bench.state, 'other'));
  const machine = { identity: (await createDevice()).identity, name: 'x', at: 1 };
  records.enroll(machine);
  records.remove(() => true);
  expect([records.isEnrolled(machine.identity), records.isRemoved(machine.identity)]).toEqual([false, true]);
  records.enroll(machine);
  expect([records.isEnrolled(machine.identity), records.isRemoved(machine.identity)]).toEqual([true, false]);
});
