import { defineCommand } from '../command/command.ts';
import { openRelayAdmin, ownerOptions } from '../remote/relay-folder.ts';

export const command = defineCommand({
  details: 'Prints a code on stdout. It admits one machine within ten minutes; a new code replaces it.',
  options: ownerOptions,
  examples: [
    ['synapse relay invite', 'then, on the machine: synapse pair wss://relay.example --name laptop'],
    ['synapse relay invite --url https://relay.example', 'of a relay on Cloudflare'],
    ['synapse relay invite --nats nats://10.0.0.1:4222', 'of relays that share NATS'],
  ],
  async run({ options, out }) {
    out.write(`${await (await openRelayAdmin(options)).invite()}\n`);
    return 0;
  },
});
