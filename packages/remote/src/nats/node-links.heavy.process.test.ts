import type { NatsConnection } from '@nats-io/transport-node';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasNats, NatsCluster } from '../fixtures/nats-cluster.ts';
import type { RelaySocket } from '../relay/relay-host.ts';
import { NodeLinks } from './node-links.ts';
import { openNats, type Nats } from './open-nats.ts';

let cluster: NatsCluster | undefined;
beforeAll(async () => {
  if (hasNats()) cluster = await NatsCluster.open(1);
}, 60_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** A node that answers each text with the same, and what happened there. */
function echoing({ connection, names }: Nats, drops: (kind: string) => boolean = () => false) {
  const node = randomUUID();
  const lost: string[] = [];
  const open = new Set<RelaySocket>();
  const lossy: Pick<NatsConnection, 'publish'> = {
    publish: (subject, data, options) => {
      if (!drops(subject.split('.').at(-3) ?? '')) connection.publish(subject, data, options);
    },
  };
  const links = new NodeLinks({
    connection: {
      ...lossy,
      subscribe: (subject, options) => connection.subscribe(subject, options),
      isClosed: () => connection.isClosed(),
    },
    names,
    node,
    deadAfterMs: 30_000,
    accept: ({ session }, socket) => {
      if (session === 'elsewhere') return undefined;
      open.add(socket);
      return { text: (text) => socket.send(text), closed: () => void open.delete(socket) };
    },
    onHeard: () => {},
    onLost: (one) => lost.push(one),
  });
  return { node, links, lost, open };
}

/** A party whose connection goes to another node. */
function partyAt(links: NodeLinks, node: string, session = 'desk') {
  const heard: string[] = [];
  const closed = Promise.withResolvers<number>();
  const refused = Promise.withResolvers<string>();
  const socket = { send: (text: string) => void heard.push(text), close: closed.resolve };
  const connection = links.open(node, { to: 's', session }, 'a', { socket, refused: () => refused.resolve('refused') });
  return { connection, heard, closed: closed.promise, refused: refused.promise };
}

it('texts pass in order; a session that is elsewhere is refused', async ({ skip }) => {
  const { servers } = cluster ?? skip('nats-server is not installed here.');
  await using nats = await openNats({ servers, replicas: 1 }, 'open');
  const [near, far] = [echoing(nats), echoing(nats)];
  using _near = near.links;
  using _far = far.links;
  const party = partyAt(near.links, far.node);
  const texts = Array.from({ length: 500 }, (_, index) => `${index} ä`);
  for (const text of texts) party.connection.text(text);
  await expect.poll(() => party.heard).toEqual(texts);
  expect(await partyAt(near.links, far.node, 'elsewhere').refused).toBe('refused');
  party.connection.closed();
  await expect.poll(() => far.open.size).toBe(0);
});

it.each(['text', 'send', 'open'])('a %s that is lost on the way ends the connections between the nodes; the next ones work', async (kind) => {
  if (cluster === undefined) return;
  await using nats = await openNats({ servers: cluster.servers, replicas: 1 }, 'open');
  let left = 1;
  const drops = (one: string): boolean => one === kind && left-- > 0;
  const [near, far] = [echoing(nats, drops), echoing(nats, drops)];
  using _near = near.links;
  using _far = far.links;
  const party = partyAt(near.links, far.node);
  party.connection.text('lost, or its answer');
  // Nothing else is said: the next pulse tells.
  expect(await party.closed).toBe(4409);
  party.connection.closed();
  const next = partyAt(near.links, far.node);
  next.connection.text('works');
  await expect.poll(() => next.heard).toEqual(['works']);
  await expect.poll(() => far.open.size).toBe(1);
});

it.each([
  ['open', '{"to":"x"}'],
  ['open', 'x'],
  ['close', '[]'],
])('a node that says %s %s ends its own connections, and no others', async (kind, data) => {
  if (cluster === undefined) return;
  await using nats = await openNats({ servers: cluster.servers, replicas: 1 }, 'open');
  const [near, far] = [echoing(nats), echoing(nats)];
  using _near = near.links;
  using _far = far.links;
  const party = partyAt(near.links, far.node);
  party.connection.text('a');
  await expect.poll(() => party.heard).toEqual(['a']);
  // One that is not of us, or of another version.
  nats.connection.publish(`${nats.names.link(far.node)}.stranger.${kind}.1.1`, data);
  await nats.connection.flush();
  party.connection.text('b');
  await expect.poll(() => party.heard).toEqual(['a', 'b']);
});

it('a node that is gone is noticed by both sides', { timeout: 20_000 }, async ({ skip }) => {
  const { servers } = cluster ?? skip('nats-server is not installed here.');
  await using nats = await openNats({ servers, replicas: 1 }, 'open');
  await using doomed = await openNats({ servers, replicas: 1 }, 'open');
  const [stays, goes] = [echoing(nats), echoing(doomed)];
  using _stays = stays.links;
  using _goes = goes.links;
  // Both listen.
  await Promise.all([nats.connection.flush(), doomed.connection.flush()]);
  const out = partyAt(stays.links, goes.node);
  const inwards = partyAt(goes.links, stays.node);
  for (const one of [out, inwards]) one.connection.text('x');
  await expect.poll(() => [out.heard, inwards.heard]).toEqual([['x'], ['x']]);
  await doomed.connection.close();
  expect(await out.closed).toBe(1012);
  expect(stays.lost).toEqual([goes.node]);
  expect(stays.open.size).toBe(0);
});
