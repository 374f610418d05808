import { defaultStateFolder } from '@synapse/hands/internal';
import { deviceId } from '@synapse/protocol/remote';
import { awaitRevoked, KnownMachines, PairedDevices } from '@synapse/remote';
import { defineCommand } from '../command/command.ts';
import { inLine } from '../output/visible-text.ts';
import { namedDevice } from '../remote/named-device.ts';
import { remoteFolder } from '../remote/remote-folder.ts';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const command = defineCommand({
  details: 'A connected device is disconnected at once. Its running calls and its jobs end, and how many is printed.',
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
    for (const { session, pid, ended } of await awaitRevoked(defaultStateFolder(), deviceId(meant), grants, since)) {
      const where = inLine(session);
      const serving = pid === undefined ? 'the `synapse connect` that serves it' : `process ${pid}`;
      if (ended === undefined) err.write(`${where}: not everything of it has ended after two seconds. End ${serving} to be sure.\n`, 'yellow');
      else err.write(`${where}: ended ${counted(ended.calls, 'running call')} and ${counted(ended.jobs, 'background job')}.\n`);
    }
    return 0;
  },
});
