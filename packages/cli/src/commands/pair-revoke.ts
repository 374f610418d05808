import { KnownMachines, PairedDevices } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { deviceId } from '@synapse/protocol/remote';
import { defineCommand } from '../command/command.ts';
import { remoteFolder } from '../remote/remote-folder.ts';

export const command = defineCommand({
  details: 'A connected device is disconnected at once, and its running calls end.',
  arguments: { '<device>': 'its name, or the beginning of its fingerprint' },
  examples: [
    ['synapse pair revoke laptop', 'by name'],
    ['synapse pair revoke "3F2A 9C01"', 'by fingerprint'],
  ],
  run({ arguments: { device }, err }) {
    const prefix = device.replaceAll(/\s/gu, '').toLowerCase();
    const isMeant = ({ name, identity }: { readonly name: string; readonly identity: string }): boolean =>
      name === device || (prefix.length >= 4 && deviceId(identity).startsWith(prefix));
    const folder = remoteFolder();
    const revoked = [...new PairedDevices(folder).revoke(isMeant), ...new KnownMachines(folder).remove(isMeant)];
    if (revoked.length === 0) {
      throw new SynapseError('not_found', `No paired device is called ${JSON.stringify(device.slice(0, 60))}.`, {
        hint: 'List them: synapse pair list',
      });
    }
    err.write(`Revoked: ${revoked.map(({ name }) => name).join(', ')}\n`);
    return Promise.resolve(0);
  },
});
