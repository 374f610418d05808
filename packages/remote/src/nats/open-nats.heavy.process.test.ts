import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasNats, NatsCluster } from '../fixtures/nats-cluster.ts';
import type { RelayBackend } from '../relay/relay-backend.ts';
import { openNatsBackend } from './nats-backend.ts';
import { openNats } from './open-nats.ts';

it.each([
  ['http://127.0.0.1:4222', 'Not the URL of a NATS server'],
  ['nats://user:secret@127.0.0.1:4222', 'Credentials do not belong into a URL: 127.0.0.1:4222'],
])('refuses %s', async (server, message) => {
  await expect(openNats({ servers: [server] }, 'open')).rejects.toThrow(message);
});

it('says that nothing is there, and that a file is missing', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  await expect(openNats({ servers: [`nats://127.0.0.1:${port}`] }, 'open')).rejects.toThrow('NATS cannot be reached');
  await expect(openNats({ servers: ['nats://127.0.0.1:1'], credentials: '/nowhere/x.creds' }, 'open')).rejects.toThrow(
    'File not found: /nowhere/x.creds',
  );
});

it('says what one server needs; a seed of a wrong key is not let in', { timeout: 60_000 }, async ({ skip }) => {
  if (!hasNats()) skip('nats-server is not installed here.');
  await using cluster = await NatsCluster.open(1);
  await expect(openNats({ servers: cluster.servers }, 'open')).rejects.toMatchObject({
    hint: expect.stringContaining('--nats-replicas 1') as string,
  });
  await using nats = await openNats({ servers: cluster.servers, replicas: 1 }, 'open');
  expect(nats.names.stream).toBe('synapse-dev-log');
  await using again = await openNats({ servers: cluster.servers, replicas: 1 }, 'open');
  expect(again.connection.isClosed()).toBe(false);
});

it('logs in with the seed of an nkey in a file', { timeout: 60_000 }, async ({ skip }) => {
  if (!hasNats()) skip('nats-server is not installed here.');
  const { nkeys } = await import('@nats-io/transport-node');
  const [known, other] = [nkeys.createUser(), nkeys.createUser()];
  await using cluster = await NatsCluster.open(1, `authorization { users: [{ nkey: ${known.getPublicKey()} }] }`);
  const folder = await mkdtemp(join(tmpdir(), 'synapse-nkey-'));
  const fileOf = async (name: string, key: typeof known): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, `${Buffer.from(key.getSeed()).toString('utf8')}\n`, { mode: 0o600 });
    return file;
  };
  const { servers } = cluster;
  await using nats = await openNats({ servers, replicas: 1, credentials: await fileOf('known', known) }, 'open');
  expect(nats.connection.isClosed()).toBe(false);
  await expect(openNats({ servers, replicas: 1, credentials: await fileOf('other', other) }, 'open')).rejects.toThrow('cannot be reached');
  await expect(openNats({ servers, replicas: 1 }, 'open')).rejects.toThrow('cannot be reached');
});

/** What a connection is first told: a challenge, or the code that it is closed with. */
const firstWord = async (backend: RelayBackend): Promise<string | number> => {
  const { promise, resolve } = Promise.withResolvers<string | number>();
  const connection = backend.connect({ to: 's', session: 'desk' }, { send: resolve, close: resolve }, 'relay desk');
  const word = await promise;
  connection.closed();
  return word;
};

it('nodes start at once on servers that have just started; without a majority, connecting clients get a reason until there is one', async ({
  skip,
}) => {
  if (!hasNats()) skip('nats-server is not installed here.');
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await NatsCluster.open());
  const opening = Array.from({ length: 4 }, () => openNatsBackend({ servers: cluster.servers, access: 'paired', leaseMs: 3_000 }));
  const [backend] = await Promise.all(opening.map(async (one) => stack.use(await one)));
  // A bucket that was just made may still elect its leader.
  await expect.poll(() => firstWord(backend!)).toContain('challenge');
  await Promise.all([cluster.kill(1), cluster.kill(2)]);
  // Until its lease is over, the node that has the session greets.
  await expect.poll(() => firstWord(backend!)).toBe(4503);
  await cluster.start(1);
  await expect.poll(() => firstWord(backend!)).toContain('challenge');
}, 120_000);

it('tells a lost connection and its return, once each', { timeout: 120_000 }, async ({ skip }) => {
  if (!hasNats()) skip('nats-server is not installed here.');
  const lines: string[] = [];
  await using cluster = await NatsCluster.open(1);
  await using backend = await openNatsBackend({ servers: cluster.servers, replicas: 1, access: 'open', onStatus: (line) => lines.push(line) });
  for (const count of [2, 4]) {
    await cluster.kill(0);
    await expect.poll(() => lines.length).toBe(count - 1);
    await cluster.start(0);
    await expect.poll(() => lines.length).toBe(count);
  }
  const host = cluster.servers[0]?.replace('nats://', '') ?? '';
  expect(lines[0]).toContain(`NATS is lost: ${host}`);
  expect(lines[1]).toContain(`NATS is back: ${host}`);
  await expect.poll(() => firstWord(backend)).toContain('challenge');
});
