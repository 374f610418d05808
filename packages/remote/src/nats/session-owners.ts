import { SynapseError } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { swap } from './kv-value.ts';
import { subjectToken } from './nats-names.ts';
import { LEASE_MS, type Nats } from './open-nats.ts';
import { SessionLog, TakenOver } from './session-log.ts';

/** Number of renewals per lease duration. */
const RENEWALS = 6;
/** Milliseconds for which a new session is kept before its connection arrives. */
const SETTLE_MS = 10_000;
/** Milliseconds after which an owner record is rewritten, before the bucket deletes it. */
const REFRESH_MS = 43_200_000;
const MAX_TRIES = 8;

const Taken = z.object({ session: z.string(), token: z.int() });

/** Location of a session: this node or another one. */
export type Whereabouts = 'here' | { readonly node: string };

/** This node's record of a session. */
interface Ownership {
  /** Revision of its key. */
  readonly revision: number;
  /** Token for writes to its log: the revision, unless NATS lost later ones. */
  readonly token: number;
  readonly since: number;
}

interface Clock {
  readonly steady: number;
  readonly wall: number;
}

/** The monotonic clock stops while some machines sleep, and the wall clock can be changed. */
const clock = (): Clock => ({ steady: performance.now(), wall: Date.now() });

/**
 * Assigns sessions to nodes. A node has one lease, which it renews; a session record names its node and is written with compare-and-set. The
 * lease only locates the node. The log ensures that a node that lost a session without noticing cannot act on it.
 */
export class SessionOwners implements AsyncDisposable {
  readonly node = randomUUID();
  readonly log: SessionLog;
  readonly #nats: Nats;
  readonly #leaseMs: number;
  readonly #onLost: (session: string) => void;
  readonly #held = new Map<string, Ownership>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Nodes that do not respond although their lease is still valid. */
  readonly #suspects = new Set<string>();
  #revision = 0;
  #until: Clock = { steady: 0, wall: 0 };
  #renewing: Promise<void> | undefined;
  readonly #timer: NodeJS.Timeout;

  private constructor(nats: Nats, leaseMs: number, onLost: (session: string) => void) {
    this.#nats = nats;
    this.#leaseMs = leaseMs;
    this.#onLost = onLost;
    this.log = new SessionLog(nats, (session) => this.#held.has(session) && this.#counts());
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    }, leaseMs / RENEWALS);
    nats.connection.subscribe(nats.names.taken, { callback: (_, { data }) => this.#onTaken(Buffer.from(data).toString('utf8')) });
  }

  /** @param onLost called for each session that another node has, or may have */
  static async open(nats: Nats, onLost: (session: string) => void, leaseMs = LEASE_MS): Promise<SessionOwners> {
    const owners = new SessionOwners(nats, leaseMs, onLost);
    await owners.#renew();
    return owners;
  }

  /** Whether the lease is valid by this machine's clocks. It ends slightly earlier here than on the server. */
  #counts(): boolean {
    const { steady, wall } = clock();
    return steady < this.#until.steady && wall < this.#until.wall;
  }

  async #renew(): Promise<void> {
    if (!this.#counts()) this.#lapse();
    const { steady, wall } = clock();
    try {
      const revision = await swap(this.#nats.nodes, this.node, '{}', this.#revision);
      if (!this.#counts()) this.#lapse();
      // If the server deleted the record, the next renewal creates a new one.
      this.#revision = revision ?? 0;
      const lasts = (this.#leaseMs * (RENEWALS - 1)) / RENEWALS;
      if (revision !== undefined) this.#until = { steady: steady + lasts, wall: wall + lasts };
    } catch {
      // NATS does not respond. The lease stays valid until it expires.
      if (!this.#counts()) this.#lapse();
    }
  }

  #lapse(): void {
    for (const session of this.#held.keys()) this.#lose(session);
  }

  #lose(session: string): void {
    this.#held.delete(session);
    this.log.forget(session);
    this.#onLost(session);
  }

  #onTaken(text: string): void {
    const { data } = Taken.safeParse(parseJson(text));
    const token = this.#held.get(data?.session ?? '')?.token;
    if (data !== undefined && token !== undefined && token < data.token) this.#lose(data.session);
  }

  /** Treats an unresponsive node as dead before its lease ends. If it is alive, the log excludes it. */
  suspect(node: string): void {
    this.#suspects.add(node);
  }

  /** Stops suspecting a node that responds. */
  hear(node: string): void {
    this.#suspects.delete(node);
  }

  async #isAlive(node: string): Promise<boolean> {
    return !this.#suspects.has(node) && (await this.#nats.nodes.get(node))?.operation === 'PUT';
  }

  /** Runs one operation at a time per session. */
  async #inTurn<Value>(session: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turns.get(session);
    const turn = (before ?? Promise.resolve()).then(work, work);
    this.#turns.set(session, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(session) === turn) this.#turns.delete(session);
    }
  }

  /** Finds the node that runs a session. If none does, this node takes it. @throws SynapseError `unavailable` */
  find(session: string): Promise<Whereabouts> {
    return this.#inTurn(session, async () => {
      for (let tries = 0; tries < MAX_TRIES && this.#counts(); tries += 1) {
        if (this.log.holds(session)) return 'here';
        const entry = await this.#nats.owners.get(subjectToken(session));
        const node = entry?.operation === 'PUT' ? entry.string() : this.node;
        if (node !== this.node && (await this.#isAlive(node))) return { node };
        const revision = await swap(this.#nats.owners, subjectToken(session), this.node, entry?.revision ?? 0);
        const token = revision === undefined ? undefined : await this.#claim(session, revision);
        if (revision === undefined || token === undefined) continue;
        this.#held.set(session, { revision, token, since: Date.now() });
        if (node !== this.node) this.#nats.connection.publish(this.#nats.names.taken, JSON.stringify({ session, token }));
        return 'here';
      }
      throw new SynapseError('unavailable', 'The session has no relay.', { hint: 'NATS may be electing a leader. Try again.' });
    });
  }

  /** Claims the log. @returns the token; undefined if another node took the session meanwhile */
  async #claim(session: string, revision: number): Promise<number | undefined> {
    try {
      await this.log.claim(session, revision);
      return revision;
    } catch (error) {
      if (!(error instanceof TakenOver)) throw error;
      const entry = await this.#nats.owners.get(subjectToken(session));
      if (entry?.revision !== revision) return undefined;
      // This node still owns it: NATS lost the later owner's record, or the whole bucket.
      await this.log.claim(session, error.token + 1);
      return error.token + 1;
    }
  }

  /** Releases sessions that are unused here, and rewrites old records. */
  async sweep(isUsed: (session: string) => boolean): Promise<void> {
    const now = Date.now();
    const settled = [...this.#held].filter(([, { since }]) => now - since > SETTLE_MS);
    for (const [session, { revision, token, since }] of settled) {
      if (!isUsed(session)) await this.#inTurn(session, () => this.#leave(session, isUsed));
      else if (now - since > REFRESH_MS) {
        const next = await swap(this.#nats.owners, subjectToken(session), this.node, revision);
        if (next === undefined) this.#lose(session);
        else this.#held.set(session, { revision: next, token, since: now });
      }
    }
  }

  async #leave(session: string, isUsed: (session: string) => boolean): Promise<void> {
    const held = this.#held.get(session);
    if (held === undefined || isUsed(session)) return;
    this.#lose(session);
    await this.#release(session, held.revision);
  }

  /** Deletes this node's record of a session, but no later one. */
  async #release(session: string, revision: number): Promise<void> {
    const { buckets } = this.#nats.names;
    await this.#nats.manager.streams.purge(`KV_${buckets.owners}`, { filter: `$KV.${buckets.owners}.${subjectToken(session)}`, seq: revision + 1 });
  }

  /** Checks whether sessions were taken over while this node was disconnected. */
  async verify(): Promise<void> {
    for (const [session, { revision }] of this.#held) {
      const entry = await this.#nats.owners.get(subjectToken(session));
      if (entry !== null && entry.revision > revision) this.#lose(session);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    const held = [...this.#held];
    this.#lapse();
    // If NATS does not respond, the lease expires by itself.
    await Promise.allSettled([...held.map(([session, { revision }]) => this.#release(session, revision)), this.#nats.nodes.purge(this.node)]);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON. No schema accepts undefined.
    return undefined;
  }
}
