import { SynapseError } from '@synapse/protocol';
import type { RelayAccess } from '@synapse/protocol/remote';
import { jetstream, jetstreamManager, RetentionPolicy, StorageType, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';
import { connect, credsAuthenticator, nkeyAuthenticator, type Authenticator, type NatsConnection } from '@nats-io/transport-node';
import { readFileSync } from 'node:fs';
import { natsNames, type NatsNames } from './nats-names.ts';

/** Milliseconds after its last renewal for which a node's lease is valid. NATS needs up to 10 s to elect a leader. */
export const LEASE_MS = 30_000;
/** Milliseconds to keep owner records that are not renewed, such as those of abandoned sessions. */
const KEEP_OWNER_MS = 86_400_000;
/** Maximum milliseconds without a leader after a cluster starts. */
const READY_MS = 20_000;
const RETRY_MS = 250;
/** Of the server: fewer servers than copies have joined. */
const TOO_FEW_YET = 10_005;
/** `replicas > 1 not supported in non-clustered mode` */
const NOT_A_CLUSTER = 10_074;

/** Connection options for NATS. */
export interface NatsOptions {
  /** URLs of the servers, such as `nats://10.0.0.1:4222` or `tls://…`. */
  readonly servers: readonly string[];
  /** A file with credentials (JWT) or the seed of an nkey. Default: none. */
  readonly credentials?: string | undefined;
  /** Number of servers that store each message: 1, 3 or 5. Default: 3. */
  readonly replicas?: number | undefined;
  /** Duration of a lease in milliseconds; for tests. */
  readonly leaseMs?: number | undefined;
}

/** A connection to NATS, with the relay's storage there. */
export interface Nats extends AsyncDisposable {
  readonly connection: NatsConnection;
  readonly publisher: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly nodes: KV;
  readonly owners: KV;
  readonly account: KV;
  readonly names: NatsNames;
}

function authenticator(file: string | undefined): { authenticator?: Authenticator } {
  if (file === undefined) return {};
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (cause) {
    throw new SynapseError('not_found', `File not found: ${file}`, { hint: 'It holds the credentials for NATS.', cause });
  }
  const seed = /^\s*(SU[A-Z2-7]+)\s*$/u.exec(content.toString('utf8'))?.[1];
  return { authenticator: seed === undefined ? credsAuthenticator(content) : nkeyAuthenticator(Buffer.from(seed)) };
}

/** Checks the URL of a server and returns it. @throws SynapseError `invalid_arguments`, also for a URL with credentials */
function serverOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['nats:', 'tls:'].includes(url.protocol)) {
    throw new SynapseError('invalid_arguments', `Not the URL of a NATS server: ${JSON.stringify(given.slice(0, 100))}`, {
      hint: 'It starts with nats:// or tls://, such as nats://127.0.0.1:4222.',
    });
  }
  // Every program on this machine can read command-line arguments.
  if (url.username !== '' || url.password !== '') {
    throw new SynapseError('invalid_arguments', `Credentials do not belong into a URL: ${url.host}`, {
      hint: 'Put them into a file: --nats-creds FILE.',
    });
  }
  return given;
}

export const unreachable = (
  what: string,
  cause: unknown,
  hint = 'Check the URLs, and that JetStream is enabled on most of the servers.',
): SynapseError => new SynapseError('unavailable', what, { hint, cause });

/** Retries while the cluster has no leader, or its servers have not all found each other. */
export async function whenReady<Value>(make: () => Promise<Value>): Promise<Value> {
  for (const began = performance.now(); ;) {
    try {
      return await make();
    } catch (error) {
      // Errors of the request are final; those of a missing leader are not.
      const status = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 500;
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const isFinal = (status < 500 && code !== TOO_FEW_YET) || code === NOT_A_CLUSTER;
      if (isFinal || performance.now() - began > READY_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/**
 * Connects to NATS and creates the relay's storage if it is missing.
 *
 * @throws SynapseError `unavailable` if NATS cannot be reached or used, `invalid_arguments` for an invalid URL
 */
export async function openNats(options: NatsOptions, access: RelayAccess): Promise<Nats> {
  const servers = options.servers.map(serverOf);
  const names = natsNames(access);
  const auth = authenticator(options.credentials);
  let connection: NatsConnection;
  try {
    const encrypted = servers.some((server) => server.startsWith('tls:'));
    // Reconnect quickly, because a node is unreachable while it changes to another server.
    const again = { maxReconnectAttempts: -1, reconnectTimeWait: 100, reconnectJitter: 100, pingInterval: 10_000, maxPingOut: 2 };
    connection = await connect({ servers, name: 'synapse-relay', timeout: 10_000, ...again, ...auth, ...(encrypted ? { tls: {} } : {}) });
  } catch (error) {
    throw unreachable(`NATS cannot be reached: ${servers.join(', ')}`, error, 'Check the URLs and the credentials, and that a server runs.');
  }
  try {
    const publisher = jetstream(connection);
    const manager = await whenReady(() => jetstreamManager(connection));
    const num_replicas = options.replicas ?? 3;
    const kept = { storage: StorageType.File, num_replicas };
    const exists = async (): Promise<boolean> => {
      const found = await manager.streams.info(names.stream).catch((error: unknown) => {
        if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
        throw error;
      });
      return found !== undefined;
    };
    await whenReady(async () => {
      if (!(await exists())) await manager.streams.add({ name: names.stream, subjects: [names.logs], retention: RetentionPolicy.Limits, ...kept });
    });
    const buckets = new Kvm(publisher);
    // Disable direct reads, which may return stale values.
    const bucket = (name: string, ttl: number): Promise<KV> =>
      whenReady(() => buckets.create(name, { replicas: num_replicas, storage: StorageType.File, history: 1, allow_direct: false, ttl }));
    return {
      connection,
      publisher,
      manager,
      names,
      nodes: await bucket(names.buckets.nodes, options.leaseMs ?? LEASE_MS),
      owners: await bucket(names.buckets.owners, KEEP_OWNER_MS),
      account: await bucket(names.buckets.account, 0),
      [Symbol.asyncDispose]: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    const isAlone = error instanceof Error && /replicas > 1|no suitable peers|insufficient/iu.test(error.message);
    throw unreachable(
      `NATS cannot keep the records of the relay: ${error instanceof Error ? error.message : 'unknown'}`,
      error,
      isAlone ? 'Three copies need three servers. For a single one: --nats-replicas 1.' : undefined,
    );
  }
}
