import { randomUUID } from 'node:crypto';
import { MAX_CONNECTIONS, reachPort, type FoundPort, type ForwardOutcome, type WantedPort } from '@synapse/hands/internal';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import type { DataFrames, ForwardOp, HandsEvent, RemoteGrant } from '@synapse/protocol/remote';
import { ConnectionSet } from '../forward/connection-set.ts';

type Frame = DataFrames['forward'];
type Open = Extract<ForwardOp, { op: 'open' }>;
type Connect = Extract<ForwardOp, { op: 'connect' }>;

/** Forwards of a device at the same time. With more, what is on the way could fill the line of its agent. */
const MAX_FORWARDS = 4;
/** Connections of all devices at the same time. Each has two processes. */
const MAX_OF_ALL = 2 * MAX_CONNECTIONS;
/** Processes of a device that forward ports. A relay lets in fewer. */
const MAX_AGENTS = 32;
/** Milliseconds without a word of an agent after which its forwards end: it says every five seconds that it is there. */
const SILENT_MS = 30_000;

/** What served ports need from their connection. */
export interface ServedPortsOptions {
  /** The grant of a device in a workspace. */
  readonly grantOf: (device: string, workspace: string | undefined) => RemoteGrant | undefined;
  /** @throws SynapseError if the job has no such port, or the device may not reach it */
  readonly find: (device: string, grant: RemoteGrant, wanted: WantedPort, workspace: string | undefined) => FoundPort;
  /** The name of the workspace that a device means. */
  readonly nameOf: (device: string, workspace: string | undefined) => string | undefined;
  /** Writes the start to the audit log, and returns what writes the end. @throws SynapseError if it cannot be written */
  readonly record: (device: string, found: FoundPort, workspace: string | undefined) => (outcome: ForwardOutcome) => void;
  /** Calls a listener when a job has ended. Returns a function that ends it. */
  readonly watch: (onJobEnd: () => void) => () => void;
  readonly onEvent: (event: HandsEvent) => void;
  /** There may be something to send. */
  readonly onReady: () => void;
  readonly now: () => number;
}

/** A process of a device that forwards ports. */
interface Agent {
  readonly device: string;
  readonly brain: string;
  heard: number;
  /** The number of its newest forward. What was recorded before cannot open one again. */
  last: number;
}

interface Served {
  readonly agent: Agent;
  readonly forward: number;
  readonly workspace: string | undefined;
  readonly found: FoundPort;
  readonly set: ConnectionSet;
  /** The jobs that it might be of. */
  readonly scope: RemoteGrant['ports'];
  readonly recordEnd: (outcome: ForwardOutcome) => void;
  lastConn: number;
}

const refused = (message: string, hint: string): SynapseError => new SynapseError('denied', message, { hint });
const UNPAIRED = refused('Ports are forwarded to paired devices only.', 'Pair this device: synapse pair.');
const NOT_GRANTED = refused(
  'The grant of this device does not include ports.',
  'At the machine, pair it again with --ports own, for the jobs that it starts, or --ports all, for those of the project.',
);
const NARROWED = refused('The grant of this device includes the ports of its own jobs only.', 'Open the port again.');
const REVOKED = refused('This device has no access any more.', 'Pair it again: synapse pair.');
const EXPIRED = refused('The grant of this device has expired.', 'Pair it again: synapse pair.');

/** Returns why a device may not reach ports; undefined if it may. */
function grantProblem(grant: RemoteGrant | undefined, now: number): SynapseError | undefined {
  if (grant === undefined) return REVOKED;
  if (grant.role !== 'brain' || grant.ports === undefined) return NOT_GRANTED;
  return now >= grant.expires ? EXPIRED : undefined;
}

/** The ports of jobs that paired devices reach over the line. Nothing here listens: each connection leads from the line into the network of a job. */
export class ServedPorts {
  readonly #options: ServedPortsOptions;
  readonly #agents = new Map<string, Agent>();
  /** By token. The next one to send is the first. */
  readonly #served = new Map<string, Served>();
  #unwatch: (() => void) | undefined;

  constructor(options: ServedPortsOptions) {
    this.#options = options;
  }

  #say({ brain, device }: Pick<Agent, 'brain'> & { readonly device: string | undefined }, op: ForwardOp): void {
    this.#options.onEvent({ type: 'say', frame: { type: 'forward', brain, op }, to: device });
  }

  #refuse(to: Parameters<ServedPorts['take']>[1], brain: string, forward: number, { code, message, hint }: SynapseError): void {
    const closed: unknown = { op: 'closed', forward, code, message: message.slice(0, 1_000), ...(hint === undefined ? {} : { hint }) };
    this.#say({ brain, device: to }, closed as Extract<ForwardOp, { op: 'closed' }>);
  }

  /** Takes what a device says. @param from undefined where no device is paired */
  take({ brain, op }: Frame, from: string | undefined): void {
    if (op === null) return;
    if (from === undefined) return op.op === 'open' ? this.#refuse(from, brain, op.forward, UNPAIRED) : undefined;
    const agent = this.#agents.get(`${from} ${brain}`);
    if (agent !== undefined) agent.heard = this.#options.now();
    if (op.op === 'open') return this.#open(agent ?? { device: from, brain, heard: this.#options.now(), last: -1 }, op);
    if (agent === undefined || op.op === 'alive' || op.op === 'opened' || op.op === 'closed') return;
    if (op.op === 'close') return this.#close(agent, op.forward);
    const served = this.#served.get(op.token);
    // Another device knows no token of this one. What comes after the end was on the way.
    if (served?.agent !== agent) return;
    if (op.op === 'connect') this.#connect(op, served);
    else served.set.take(op);
  }

  #close(agent: Agent, forward: number): void {
    for (const [token, one] of this.#served) if (one.agent === agent && one.forward === forward) this.#end(token, one);
  }

  #open(agent: Agent, { forward, job, port, workspace: named }: Open): void {
    if (forward <= agent.last) return;
    agent.last = forward;
    const { device, brain } = agent;
    const workspace = this.#options.nameOf(device, named);
    try {
      const found = this.#find(device, { job, port }, workspace);
      const key = `${device} ${brain}`;
      const own = [...this.#served.values()].filter((one) => one.agent.device === device).length;
      const agents = [...this.#agents.values()].filter((one) => one.device === device).length;
      if (own >= MAX_FORWARDS || (agents >= MAX_AGENTS && !this.#agents.has(key)))
        throw new SynapseError('busy', `This device forwards ${MAX_FORWARDS} ports already.`, { hint: 'Close one of them.' });
      const recordEnd = this.#options.record(device, found, workspace);
      const token = randomUUID();
      const set = new ConnectionSet(token, { say: (op) => this.#say(agent, op), ready: this.#options.onReady });
      const scope = this.#options.grantOf(device, workspace)?.ports;
      this.#agents.set(key, agent);
      this.#unwatch ??= this.#options.watch(() => this.check());
      this.#served.set(token, { agent, forward, workspace, found, set, scope, recordEnd, lastConn: -1 });
      this.#say(agent, { op: 'opened', forward, token, job: found.job, port: found.target.port });
    } catch (error) {
      this.#refuse(device, brain, forward, toSynapseError(error));
    }
  }

  #find(device: string, wanted: WantedPort, workspace: string | undefined): FoundPort {
    const grant = this.#options.grantOf(device, workspace);
    const problem = grantProblem(grant, this.#options.now());
    if (problem !== undefined || grant === undefined) throw problem ?? NOT_GRANTED;
    return this.#options.find(device, grant, wanted, workspace);
  }

  #connect({ token, conn }: Connect, served: Served): void {
    if (conn <= served.lastConn) return;
    served.lastConn = conn;
    const { agent, found, set } = served;
    const all = [...this.#served.values()];
    const open = (of: readonly Served[]): number => of.reduce((sum, one) => sum + one.set.size, 0);
    try {
      const problem = this.#grantProblem(served);
      if (problem !== undefined) throw problem;
      if (open(all) >= MAX_OF_ALL || open(all.filter((one) => one.agent.device === agent.device)) >= MAX_CONNECTIONS)
        throw new SynapseError('busy', 'Too many connections are open.');
      // Each time: its server may have ended, and the number belong to another program.
      using reached = reachPort(found.now());
      const stream = reached.connect();
      set.add(conn, { stream, reset: () => stream.destroy() });
    } catch {
      // A browser has no place for a reason. It tries again.
      this.#say(agent, { op: 'reset', token, conn });
      this.check();
    }
  }

  /** Ends it. */
  #end(token: string, served: Served, problem?: SynapseError): void {
    if (!this.#served.delete(token)) return;
    const { set, recordEnd } = served;
    set.end();
    recordEnd({ ...set.totals, ...(problem === undefined ? {} : { reason: problem.message }) });
    if (this.#served.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Ends it, and tells its device why. */
  #withdraw(token: string, served: Served, problem: SynapseError): void {
    this.#end(token, served, problem);
    this.#refuse(served.agent.device, served.agent.brain, served.forward, problem);
  }

  /** Ends what has lost its grant or its job. Returns how many ended for each device. */
  check(): ReadonlyMap<string, number> {
    const ended = new Map<string, number>();
    for (const [token, one] of this.#served) {
      const problem = this.#problem(one);
      if (problem === undefined) continue;
      const { device } = one.agent;
      ended.set(device, (ended.get(device) ?? 0) + 1);
      this.#withdraw(token, one, problem);
    }
    return ended;
  }

  #problem(served: Served): SynapseError | undefined {
    const { job, hasEnded } = served.found;
    return this.#grantProblem(served) ?? (hasEnded() ? new SynapseError('not_found', `${job} has ended.`) : undefined);
  }

  #grantProblem({ agent, scope, workspace }: Served): SynapseError | undefined {
    const grant = this.#options.grantOf(agent.device, workspace);
    return grantProblem(grant, this.#options.now()) ?? (scope === 'all' && grant?.ports === 'own' ? NARROWED : undefined);
  }

  /** As {@link check}, and ends what belongs to agents that have gone without a word. */
  tick(): void {
    this.check();
    const now = this.#options.now();
    for (const [key, agent] of this.#agents) {
      agent.heard = Math.min(agent.heard, now);
      if (now - agent.heard < SILENT_MS) continue;
      this.#agents.delete(key);
      for (const [token, one] of this.#served) if (one.agent === agent) this.#end(token, one, new SynapseError('unavailable', 'The agent has gone.'));
    }
  }

  /** Ends all: what was on the way may be lost. Agents open them again. */
  breakLine(): void {
    for (const [token, one] of this.#served) this.#end(token, one, new SynapseError('unavailable', 'The line broke.'));
  }

  /** Returns what is to be sent next, of each forward in turn; undefined if nothing can be sent. */
  next(): HandsEvent | undefined {
    for (const [token, one] of this.#served) {
      const op = one.set.next();
      if (op === undefined) continue;
      this.#served.delete(token);
      this.#served.set(token, one);
      return { type: 'say', frame: { type: 'forward', brain: one.agent.brain, op }, to: one.agent.device };
    }
    return undefined;
  }
}
