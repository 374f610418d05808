import { defineCommand } from '../command/command.ts';
import { inLine } from '../output/visible-text.ts';
import { namedDevice } from '../remote/named-device.ts';
import { openRelayAdmin, ownerOptions } from '../remote/relay-folder.ts';

export const command = defineCommand({
  details: 'A connected machine is disconnected within seconds, and its session names become free.',
  arguments: { '<machine>': 'its name, or the beginning of its fingerprint' },
  options: ownerOptions,
  examples: [['synapse relay remove laptop', 'by name']],
  async run({ arguments: { machine }, options, err }) {
    const admin = await openRelayAdmin(options);
    const meant = namedDevice(await admin.machines(), machine, 'machine of this relay', 'synapse relay machines');
    const removed = await admin.remove(({ identity }) => identity === meant);
    err.write(`Removed: ${removed.map(({ name }) => inLine(name)).join(', ')}\n`);
    return 0;
  },
});
