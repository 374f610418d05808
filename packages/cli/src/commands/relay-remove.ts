import { SynapseError } from '@synapse/protocol';
import { deviceId } from '@synapse/protocol/remote';
import { defineCommand } from '../command/command.ts';
import { openRelayAdmin, ownerOptions } from '../remote/relay-folder.ts';

export const command = defineCommand({
  details: 'A connected machine is disconnected within seconds, and its session names become free.',
  arguments: { '<machine>': 'its name, or the beginning of its fingerprint' },
  options: ownerOptions,
  examples: [['synapse relay remove laptop', 'by name']],
  async run({ arguments: { machine }, options, err }) {
    const prefix = machine.replaceAll(/\s/gu, '').toLowerCase();
    const removed = await (
      await openRelayAdmin(options)
    ).remove(({ name, identity }) => name === machine || (prefix.length >= 4 && deviceId(identity).startsWith(prefix)));
    if (removed.length === 0) {
      throw new SynapseError('not_found', `No machine of this relay is called ${JSON.stringify(machine.slice(0, 60))}.`, {
        hint: 'List them: synapse relay machines',
      });
    }
    err.write(`Removed: ${removed.map(({ name }) => name).join(', ')}\n`);
    return 0;
  },
});
