import { SynapseError } from '@synapse/protocol';
import { CLOSE_CODES, MAX_FRAME, type RelayAccess } from '@synapse/protocol/remote';
import { enrollMachine } from '../relay/enrollment.ts';
import type { RelayConnection, RelaySocket } from '../relay/relay-host.ts';
import type { BackendOptions, RelayBackend, SessionTarget } from '../relay/relay-backend.ts';
import { LocalSessions } from '../relay/local-sessions.ts';
import { KvEnrollments } from './kv-enrollments.ts';
import { NodeLinks } from './node-links.ts';
import { LEASE_MS, openNats, unreachable, whenReady, type NatsOptions } from './open-nats.ts';
import { SessionOwners } from './session-owners.ts';

const SWEEP_MS = 5_000;
/** Maximum number of texts to buffer while the node of a session is located. A correct client sends nothing before it is greeted. */
const MAX_EARLY = 8;
/** Maximum number of times to follow a session to its next node. */
const MAX_MOVES = 4;

/** Options of {@link openNatsBackend}. */
export interface NatsBackendOptions extends NatsOptions, BackendOptions {
  readonly access: RelayAccess;
}

/** What a node of the relay is made of. */
interface RelayNode {
  /** The machines that may connect; undefined if every one may. */
  readonly enrollments: KvEnrollments | undefined;
  readonly owners: SessionOwners;
  readonly sessions: LocalSessions;
  readonly links: NodeLinks;
}

/** Opens a node of a relay of several processes. Each accepts connections for any session. @throws SynapseError as {@link openNats} */
export async function openNatsBackend(options: NatsBackendOptions): Promise<RelayBackend> {
  const { access, leaseMs = LEASE_MS, pace, beforeEffect, onStatus } = options;
  await using stack = new AsyncDisposableStack();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const nats = stack.use(await openNats(options, access));
  const enrollments = access === 'paired' ? new KvEnrollments(nats.account) : undefined;
  try {
    // A bucket that another node has just made has no leader yet.
    if (enrollments !== undefined) await whenReady(() => enrollments.refresh());
  } catch (error) {
    throw unreachable('NATS does not give the machines of the relay.', error);
  }
  const owners = stack.use(await SessionOwners.open(nats, (session) => sessions.drop(session), leaseMs));
  const sessions: LocalSessions = stack.use(
    new LocalSessions(owners.log, {
      onFailure: failed.reject,
      isEnrolled: enrollments === undefined ? undefined : (identity) => enrollments.isEnrolled(identity),
      askEnrolled: enrollments === undefined ? undefined : (identity) => enrollments.askEnrolled(identity),
      pace,
      beforeEffect,
    }),
  );
  const links: NodeLinks = stack.use(
    new NodeLinks({
      connection: nats.connection,
      names: nats.names,
      node: owners.node,
      deadAfterMs: leaseMs,
      accept: (target, socket, audience) => (owners.log.holds(target.session) ? sessions.connect(target, socket, audience) : undefined),
      onHeard: (node) => owners.hear(node),
      onLost: (node) => owners.suspect(node),
    }),
  );
  const node: RelayNode = { enrollments, owners, sessions, links };
  stack.use(sweeps(node));
  let isLost = false;
  const watch = async (): Promise<void> => {
    for await (const status of nats.connection.status()) {
      if (status.type === 'disconnect' && !isLost) onStatus?.(lostLine(status.server, leaseMs));
      if (status.type === 'reconnect') onStatus?.(`NATS is back: ${status.server}. Sessions are served again.`);
      if (status.type === 'disconnect' || status.type === 'reconnect') isLost = status.type === 'disconnect';
      // While it was disconnected, others may have considered this node dead.
      if (status.type === 'reconnect') await owners.verify().catch(() => {});
    }
  };
  void watch();
  let isClosing = false;
  stack.defer(() => {
    isClosing = true;
  });
  void nats.connection.closed().then((cause) => {
    if (isClosing) return;
    failed.reject(
      new SynapseError('unavailable', 'NATS has ended the connection.', { hint: 'Check the credentials, then start the relay again.', cause }),
    );
  });

  const opened = stack.move();
  return {
    demandsPairing: enrollments !== undefined,
    connect: (target, socket, audience) => routed(node, target, socket, audience),
    enroll: (socket) => enrollMachineAt(enrollments, socket),
    figures: () => sessions.figures(),
    isHealthy: () => !isLost,
    failed: failed.promise,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Renews what the node knows of machines and sessions until it is disposed. */
function sweeps({ enrollments, owners, sessions }: RelayNode): Disposable {
  let sweeping = false;
  const sweep = async (): Promise<void> => {
    if (sweeping) return;
    sweeping = true;
    try {
      await enrollments?.refresh();
      await owners.sweep((session) => sessions.has(session));
    } catch {
      // NATS does not respond. The next sweep retries soon.
    }
    sweeping = false;
  };
  const timer = setInterval(() => void sweep(), SWEEP_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Accepts a connection and routes it to the node that runs its session. */
function routed({ enrollments, owners, sessions, links }: RelayNode, target: SessionTarget, socket: RelaySocket, audience: string): RelayConnection {
  let inner: RelayConnection | undefined;
  let isOver = false;
  const early: string[] = [];
  const find = async (moves: number): Promise<void> => {
    inner = undefined;
    await enrollments?.refresh();
    const where = await owners.find(target.session);
    if (isOver) return;
    if (moves === 0) throw new SynapseError('unavailable', 'The session moves from node to node.', { hint: 'Try again.' });
    inner =
      where === 'here'
        ? sessions.connect(target, socket, audience)
        : links.open(where.node, target, audience, { socket, refused: () => seek(moves - 1) });
    for (const text of early.splice(0)) inner.text(text);
  };
  const seek = (moves: number): void => {
    find(moves).catch(() => socket.close(CLOSE_CODES.unreadable.code, CLOSE_CODES.unreadable.text));
  };
  seek(MAX_MOVES);
  return {
    text: (text) => {
      // Truncated beyond the maximum frame: the session rejects it anyway.
      const sent = text.slice(0, MAX_FRAME + 1);
      if (inner !== undefined) inner.text(sent);
      else if (early.push(sent) > MAX_EARLY) socket.close(CLOSE_CODES.malformed.code, CLOSE_CODES.malformed.text);
    },
    closed: () => {
      isOver = true;
      inner?.closed();
    },
  };
}

/** Tells what the loss of the connection means. */
const lostLine = (server: string, leaseMs: number): string =>
  `NATS is lost: ${server}. Trying again. Sessions wait here, and after ${Math.ceil(leaseMs / 1_000)} s other relays may take them. ` +
  'If it lasts, check that most of the servers run.';

function enrollMachineAt(enrollments: KvEnrollments | undefined, socket: RelaySocket): RelayConnection {
  if (enrollments !== undefined) return enrollMachine(enrollments, socket);
  socket.close(CLOSE_CODES.gone.code, 'This relay takes no machines.');
  return { text: () => {}, closed: () => {} };
}
