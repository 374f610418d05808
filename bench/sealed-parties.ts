import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDevice, openDevice, type RemoteGrant } from '@synapse/protocol/remote';

/** Makes the keys of a machine and a brain that are paired, and writes the machine's to a file for its process. */
export async function sealedParties(folder: string) {
  const [device, brainDevice] = [await createDevice(), await createDevice()];
  const { identity } = await openDevice(device);
  const grant: RemoteGrant = {
    identity: brainDevice.identity,
    name: 'b',
    role: 'brain',
    tools: ['*'],
    approves: [],
    maxRunning: 64,
    expires: Date.now() + 3_600_000,
  };
  const pairing = join(folder, 'pairing.json');
  writeFileSync(pairing, JSON.stringify({ device, grants: [grant] }), { mode: 0o600 });
  return { identity, pairing, credentials: { device: brainDevice, machine: identity } };
}
