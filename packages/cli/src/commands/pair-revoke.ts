import { KnownMachines, PairedDevices } from '@synapse/remote';
import { defineCommand } from '../command/command.ts';
import { inLine } from '../output/visible-text.ts';
import { namedDevice } from '../remote/named-device.ts';
import { remoteFolder } from '../remote/remote-folder.ts';
import { tellEnded } from '../remote/tell-ended.ts';

export const command = defineCommand({
  details: 'A connected device is disconnected at once. Its running calls, jobs and forwarded ports end, and how many is printed.',
  arguments: { '<device>': 'its name, or the beginning of its fingerprint' },
  examples: [
    ['synapse pair revoke laptop', 'by name'],
    ['synapse pair revoke "3F2A 9C01"', 'by fingerprint'],
  ],
  async run({ arguments: { device }, err }) {
    const folder = remoteFolder();
    const [devices, machines] = [new PairedDevices(folder), new KnownMachines(folder)];
    const meant = namedDevice([...devices.list(), ...machines.list()], device, 'paired device', 'synapse pair list');
    const isMeant = ({ identity }: { readonly identity: string }): boolean => identity === meant;
    const since = Date.now();
    const grants = devices.revoke(isMeant);
    const revoked = [...grants, ...machines.remove(isMeant)];
    err.write(`Revoked: ${revoked.map(({ name }) => inLine(name)).join(', ')}\n`);
    await tellEnded(meant, grants, since, err);
    return 0;
  },
});
