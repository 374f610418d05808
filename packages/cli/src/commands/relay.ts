import { defaultStateFolder } from '@synapse/hands';
import { serveRelay } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { join, resolve } from 'node:path';
import { defineCommand } from '../command/command.ts';
import { flag, parsed, text } from '../command/option.ts';
import { PORT } from '../mcp/server-options.ts';
import { RELAY_PORT } from '../remote/default-relay.ts';

export const command = defineCommand({
  details: 'Machines connect with synapse connect, brains with synapse call --remote. Its URL is printed on stdout.',
  notes:
    '--dev listens for programs of this machine alone, any of which may use every session. There is no other mode yet: pairing is not available.',
  options: {
    dev: flag('for this machine alone, without pairing'),
    port: parsed('<number>', `the port (default: ${RELAY_PORT}; 0: any that is free)`, PORT),
    data: text('<dir>', 'where calls are kept that wait (default: in the state folder)'),
  },
  examples: [['synapse relay --dev', `ws://127.0.0.1:${RELAY_PORT}`]],
  async run({ options, out, err, signal }) {
    if (!options.dev) {
      throw new SynapseError('unavailable', 'A relay without --dev needs pairing, which is not available yet.', {
        hint: 'Use synapse relay --dev, which serves programs of this machine alone.',
      });
    }
    const folder = options.data === undefined ? join(defaultStateFolder(), 'relay') : resolve(options.data);
    await using relay = await serveRelay({ port: options.port ?? RELAY_PORT, file: join(folder, 'relay.sqlite') });
    out.write(`${relay.url}\n`);
    err.write(`synapse connect ${relay.url} --name desk\nsynapse call get_info '{"path":"."}' --remote ${relay.url}#desk\n`, 'dim');
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => end(), { once: true });
    if (signal.aborted) end();
    await Promise.race([relay.stopped, ended]);
    return 0;
  },
});
