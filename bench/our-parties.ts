import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sessionUrl } from '@synapse/remote';
import { connectHands } from '@synapse/remote/brain';
import { MeasuredProcess } from '../packages/remote/src/fixtures/measured-process.ts';
import { RelayRecords } from '../packages/remote/src/relay/relay-records.ts';
import type { Caller } from './bare-parties.ts';
import { sealedParties } from './sealed-parties.ts';

/** Calls of a machine far away: one that reads, and one that must not run again, so its start is on the disk before it runs. */
export interface Callers {
  readonly read: Caller;
  readonly once: Caller;
}

/** The further arguments of both programs, and the options of the brain, for parties that are paired. */
async function paired(folder: string) {
  const { identity, pairing, credentials } = await sealedParties(folder);
  const enrolled = join(folder, 'enrolled');
  mkdirSync(enrolled);
  new RelayRecords(enrolled).enroll({ identity, name: 'desk', at: Date.now() });
  return { relay: ['', '1', enrolled], hands: ['0.1', pairing], options: { credentials } };
}

const IN_THE_CLEAR = { relay: [], hands: [], options: {} };

/** Opens a relay and a machine, each in a process, and a brain here. */
export async function openOurs(folder: string, stack: AsyncDisposableStack, isSealed = false): Promise<Callers> {
  const [workspace, state] = [join(folder, 'workspace'), join(folder, 'state')];
  for (const one of [folder, workspace, state]) mkdirSync(one, { recursive: true });
  const more = isSealed ? await paired(folder) : IN_THE_CLEAR;
  const relay = stack.use(new MeasuredProcess('relay-process', ['0', join(folder, 'relay.sqlite'), ...more.relay]));
  const url = await relay.line();
  const words = [sessionUrl(url, 'desk'), workspace, state, join(folder, 'counter'), '', '1', '0', ...more.hands];
  stack.use(new MeasuredProcess('hands-process', words));
  const brain = stack.use(connectHands(url, { session: 'desk', jitter: () => 0.05, ...more.options }));
  return {
    read: (size) => brain.call('echo', { text: 'x', size }),
    once: (size) => brain.call('echo_once', { text: 'x', size }),
  };
}
