import { limitNewSpace, serveRelay, type RelayBackend } from '@synapse/remote';
import type { NatsOptions } from '@synapse/remote/nats';
import { SynapseError } from '@synapse/protocol';
import { join } from 'node:path';
import { defineCommand } from '../command/command.ts';
import { flag, list, parsed, text } from '../command/option.ts';
import { ORIGINS, PORT } from '../mcp/server-options.ts';
import { RELAY_PORT } from '../remote/remote-options.ts';
import { natsFrom, natsOptions } from '../remote/nats-options.ts';
import { data, openRelayAdmin, relayFolder } from '../remote/relay-folder.ts';

/** Loads the NATS client only for a relay that uses it. */
async function openBackend(nats: NatsOptions, dev: boolean, onStatus: (line: string) => void): Promise<RelayBackend> {
  const { openNatsBackend } = await import('@synapse/remote/nats');
  return await openNatsBackend({ ...nats, access: dev ? 'open' : 'paired', onStatus });
}

export const command = defineCommand({
  details: 'Machines connect with synapse connect, agents with synapse call --remote. Its URL is printed on stdout.',
  notes:
    'Machines get in with a code of synapse relay invite, and devices with synapse pair. It serves plain WebSocket: put a TLS proxy ' +
    'in front of it that passes on the Host header. --dev needs no pairing: only programs of this machine can connect, and each may use every session.',
  options: {
    dev: flag('for this machine only, without pairing'),
    port: parsed('<number>', `the port (default: ${RELAY_PORT}; 0 picks a free one)`, PORT),
    host: text('<address>', 'the address to listen on (default: 127.0.0.1, behind a proxy)'),
    hostname: list('<list>', 'names under which it is reached, such as relay.example'),
    allowOrigin: list('<list>', 'also allow pages of these origins to connect', { ...ORIGINS, rare: true }),
    data,
    ...natsOptions,
  },
  examples: [
    ['synapse relay --dev', `ws://127.0.0.1:${RELAY_PORT}`],
    ['synapse relay --hostname relay.example', 'behind a proxy that serves wss://relay.example'],
    ['synapse relay --nats nats://10.0.0.1:4222,nats://10.0.0.2:4222', 'one of several that share sessions'],
  ],
  async run({ options, out, err, signal }) {
    const { dev, host, hostname: names, allowOrigin: origins } = options;
    if (dev && (host !== undefined || names.length > 0 || origins.length > 0)) {
      throw new SynapseError('invalid_arguments', '--dev serves this machine alone.', {
        hint: 'Leave out --host, --hostname and --allow-origin, or --dev.',
      });
    }
    limitNewSpace();
    const nats = natsFrom(options, { '--data': options.data });
    const folder = relayFolder(options.data);
    const onStatus = (line: string): void => err.write(`${line}\n`);
    const records =
      nats === undefined ? { file: join(folder, dev ? 'dev.sqlite' : 'relay.sqlite') } : { backend: await openBackend(nats, dev, onStatus) };
    const paired = { folder, names, origins, ...(host === undefined ? {} : { host }) };
    await using relay = await serveRelay({ port: options.port ?? RELAY_PORT, onStatus, ...records, ...(dev ? {} : { paired }) });
    out.write(`${relay.url}\n`);
    if (dev)
      err.write(`synapse connect ${relay.url} --name laptop\nsynapse call list_directory '{"path":"."}' --remote ${relay.url}#laptop\n`, 'dim');
    else if ((await (await openRelayAdmin({ ...options, url: undefined })).machines()).length === 0) {
      const where =
        nats !== undefined ? ` --nats ${nats.servers[0]}` : options.data === undefined ? '' : ` --data '${folder.replaceAll("'", String.raw`'\''`)}'`;
      err.write(`No machine may use it yet. Let one in with: synapse relay invite${where}\n`, 'dim');
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => end(), { once: true });
    if (signal.aborted) end();
    await Promise.race([relay.stopped, ended]);
    return 0;
  },
});
