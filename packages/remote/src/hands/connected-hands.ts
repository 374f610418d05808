import type { Hands } from '@synapse/hands';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import {
  audienceOf,
  handsStep,
  newHands,
  startHands,
  proofText,
  type DataFrame,
  type HandsEffect,
  type HandsEvent,
  type HandsState,
  type LedgerRow,
} from '@synapse/protocol/remote';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { REAL_PACE, type Pace } from '../pace.ts';
import { NOT_SEALED, oncePerConnection, SealedFrames } from '../sealed-frames.ts';
import type { ConnectionStatus, ConnectOptions } from './connect-options.ts';
import { DeviceAccess } from './device-access.ts';
import { DiskWaits, type RunEffect, type Turn } from './disk-waits.ts';
import { ledgerFailure } from './ledger-failure.ts';
import { LedgerFile } from './ledger-file.ts';
import { COPIED } from './ledger-place.ts';
import { MachineReads } from './machine-reads.ts';
import { nextForLine } from './next-for-line.ts';
import { openPorts } from './open-ports.ts';
import { localIdOf } from './run-call.ts';
import { PacedAnswers } from './paced-answers.ts';
import { RunningCalls } from './running-calls.ts';
import { ServedLine } from './served-line.ts';
import type { ServedPorts } from './served-ports.ts';
import { OneWorkspace, type ServedWorkspaces } from './served-workspaces.ts';
import { sessionFolder } from './session-records.ts';
import { ServedStatus } from './served-status.ts';
import { Spools } from './spool.ts';
import { watchGrants } from './watch-grants.ts';

const TICK_MS = 5_000;
/** Milliseconds between deletions of old calls and their output. */
const FORGET_MS = 3_600_000;
/** Milliseconds for which calls that only read may run before their start is recorded. Shorter than the time after which `tool_accepted` is sent. */
const RECORD_MS = 10;
/** Milliseconds for which the disk may not have a result that was sent. */
const SYNC_MS = 100;

/** Hands that serve brains over an unreliable connection. */
export class ConnectedHands implements AsyncDisposable {
  readonly #access: DeviceAccess;
  readonly #options: ConnectOptions;
  readonly #record: ServedStatus;
  readonly #pace: Pace;
  readonly #line: ServedLine;
  readonly #ledger: LedgerFile;
  readonly #reads: MachineReads;
  readonly #disk: DiskWaits;
  readonly #answers: PacedAnswers;
  readonly #calls: RunningCalls;
  readonly #forwards: ServedPorts;
  readonly #queue: HandsEvent[] = [];
  /** Effects that wait for the next turn. */
  readonly #later: HandsEffect[] = [];
  readonly #stopped = Promise.withResolvers<void>();
  readonly #ticker: NodeJS.Timeout;
  readonly #forgetter: NodeJS.Timeout;
  readonly #sealed: SealedFrames | undefined;
  readonly #watch: NodeJS.Timeout | undefined;
  readonly #tellNotSealed = oncePerConnection(() => this.#status({ status: 'online', text: NOT_SEALED.toMachine }));
  #state: HandsState;
  #scheduled = false;
  #closed = false;

  /**
   * @param served the only workspace, or several
   * @throws SynapseError `busy` if another process serves the session; `unavailable` without a ledger
   */
  constructor(served: Hands | ServedWorkspaces, options: ConnectOptions) {
    this.#options = options;
    this.#pace = options.pace ?? REAL_PACE;
    const { url, pairing, name, dialect, brainApproves, window, approver = window, jitter = Math.random } = options;
    this.#line = new ServedLine({ url, jitter, pace: this.#pace, onEvent: (event) => this.#onLine(event) });
    const workspaces = 'rootOf' in served ? served : new OneWorkspace(served, approver, pairing !== undefined);
    const grants = pairing?.grants();
    const access = (this.#access = new DeviceAccess(workspaces, options, grants, this.#pace.now));
    const stateFolder = options.stateFolder ?? defaultStateFolder();
    const folder = sessionFolder(stateFolder, workspaces.records, name ?? url);
    this.#ledger = new LedgerFile(join(folder, 'ledger.sqlite'));
    this.#record = new ServedStatus(folder, { workspace: workspaces.shown, url, name, device: pairing?.device.id, now: this.#pace.now });
    this.#write('connecting', 'Connecting.');
    if (this.#ledger.isCopy) options.onStatus?.({ status: 'offline', text: COPIED });
    const spools = new Spools(join(folder, 'output'));
    spools.forget(this.#ledger.keptFrom);
    this.#reads = new MachineReads({ ledger: this.#ledger, spools, dialect, canAsk: access.canAsk, names: access.names });
    this.#disk = new DiskWaits({
      handsOf: ({ workspace }) => workspaces.find(workspace)?.hands,
      recordAfterMs: RECORD_MS,
      syncAfterMs: SYNC_MS,
      record: () => this.#schedule(),
      sync: () => void this.#ledger.sync().catch((error: unknown) => this.#fail(error)),
    });
    this.#answers = new PacedAnswers((id) => {
      const result = this.#ledger.result(id);
      return result && { type: 'loaded', id, result };
    });
    this.#calls = new RunningCalls(workspaces, spools, {
      name,
      dialect,
      brainApproves,
      mayApprove: access.mayApprove,
      toolsOf: access.toolsOf,
      namesFor: access.names,
      localId: (id) => localIdOf(this.#ledger.result(id)),
      now: this.#pace.now,
      onEvent: (event) => this.#event(event),
      onFailure: (error) => this.#fail(error),
    });
    this.#forwards = openPorts({
      workspaces,
      stateFolder,
      sessionOf: (device) => this.#calls.sessionOf(device),
      grantOf: (device, workspace) => access.grantOf(device, workspace),
      nameOf: (device, workspace) => access.nameOf(device, workspace),
      onEvent: (event) => this.#event(event),
      onReady: () => this.#schedule(),
      now: this.#pace.now,
    });
    const inst = randomUUID();
    this.#state = newHands(
      inst,
      this.#ledger,
      undefined,
      pairing && grants && { identity: pairing.device.identity, grants, isAccepted: this.#record.isAccepted },
    );
    if (pairing !== undefined) {
      this.#sealed = new SealedFrames(pairing.device, inst, access.identityOf, (error) => this.#fail(error));
      this.#watch = watchGrants(pairing, {
        onChange: (changed) => {
          const losses = access.replace(changed);
          const ports = this.#forwards.check();
          this.#event({ type: 'grants', grants: changed, now: this.#pace.now() });
          for (const { device, workspaces: lost } of losses)
            this.#calls.endJobs(device, lost, (ended) => this.#record.addRevoked(device, ended, ports.get(device) ?? 0));
        },
        onFailure: (error) => this.#fail(error),
      });
    }
    this.#queue.push({ type: 'boot', rows: this.#ledger.open(), now: this.#pace.now() });
    const [state, effects] = startHands(this.#state);
    this.#state = state;
    this.#ticker = setInterval(() => this.#tick(), this.#pace.wait(TICK_MS));
    this.#forgetter = setInterval(() => this.#forget(spools), FORGET_MS);
    for (const effect of effects) this.#perform(effect);
    this.#schedule();
  }

  #tick(): void {
    this.#event({ type: 'tick', now: this.#pace.now() });
    this.#forwards.tick();
    for (const { device, workspaces } of this.#access.expired()) this.#calls.endJobs(device, workspaces);
  }

  #forget(spools: Spools): void {
    try {
      this.#ledger.forget();
      spools.forget(this.#ledger.keptFrom);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Settles when it stops reconnecting; rejects after a failure. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  #onLine(event: HandsEvent): void {
    if (event.type === 'closed') this.#forwards.breakLine();
    this.#event(event);
  }

  #event(event: HandsEvent): void {
    if (this.#closed) return;
    if (event.type === 'finished') this.#reads.keep(event.id, event.result);
    this.#queue.push(event);
    this.#schedule(event.type === 'text' || event.type === 'finished');
  }

  /**
   * Schedules the events of one turn together, to write to the disk once for all of them. Texts that arrive together and calls that end
   * together do so in one callback, so they need not wait for the others of the turn.
   */
  #schedule(isNow = false): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const drain = (): void => this.#drain();
    if (isNow) process.nextTick(drain);
    else setImmediate(drain);
  }

  /** Steps through the waiting events. Returns the calls to start; other effects wait in `#later`. */
  #steps(): Turn {
    const starts: RunEffect[] = [];
    const rows = new Map<string, LedgerRow>();
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      const [state, effects] = handsStep(this.#state, event);
      this.#state = state;
      for (const effect of effects) {
        if (effect.type === 'commit') {
          rows.set(effect.row.id, effect.row);
          this.#ledger.put(effect.row, effect.body);
          this.#options.beforeEffect?.(effect);
        } else if (effect.type === 'seal' || effect.type === 'unseal') {
          // Has no effect outside. Where it needs no other thread, the frame comes back in this loop.
          this.#perform(effect);
        } else if (effect.type === 'run') starts.push(effect);
        else this.#later.push(effect);
      }
    }
    return { starts, rows };
  }

  #drain(): void {
    if (this.#closed) return;
    try {
      const waited = this.#later.splice(0);
      const turn = this.#steps();
      this.#scheduled = false;
      if (this.#disk.mayGoOn(turn)) this.#ledger.flushEnded();
      else this.#ledger.flush();
      // Effects run only after what they depend on is on the disk.
      this.#performAll(turn.starts);
      this.#performAll(waited);
      // A call that just started may finish within a moment. Then both frames are sent together. Nothing waits for longer than one turn.
      if (turn.starts.length === 0) this.#performAll(this.#later.splice(0));
      else setImmediate(() => !this.#scheduled && this.#performAll(this.#later.splice(0)));
      this.#answer();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Gives what is next, as the line has room. Each leads to another turn. */
  #answer(): void {
    for (const event of nextForLine(this.#state.link, this.#answers, this.#forwards)) this.#event(event);
  }

  #performAll(effects: readonly HandsEffect[]): void {
    try {
      for (const effect of this.#closed ? [] : effects) {
        this.#options.beforeEffect?.(effect);
        this.#perform(effect);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Stops, because nothing may run without the ledger. */
  #fail(cause: unknown): void {
    if (cause instanceof SynapseError) this.#stopped.reject(cause);
    this.#stopped.reject(ledgerFailure(cause));
    this.#stopped.promise.catch(() => {});
    this.#halt();
  }

  #perform(effect: HandsEffect): void {
    switch (effect.type) {
      case 'connect':
        this.#line.connect(effect);
        break;
      case 'send':
        this.#line.send(effect);
        break;
      case 'close':
        this.#line.close(effect);
        break;
      case 'status':
        this.#tellStatus(effect);
        break;
      case 'confirmed':
        this.#ledger.confirm(effect.ids);
        this.#disk.soon();
        break;
      case 'settle':
        setTimeout(() => this.#event({ type: 'settle', now: this.#pace.now() }), this.#pace.wait(effect.afterMs)).unref();
        break;
      case 'run':
        this.#calls.run(effect.id, effect.call, effect.owner);
        break;
      case 'prove':
        this.#prove(effect);
        break;
      case 'seal':
        this.#seal(effect);
        break;
      case 'unseal':
        this.#unseal(effect.frame, this.#line.conn);
        break;
      case 'forward':
        this.#forwards.take(effect.frame, effect.from);
        break;
      case 'abort':
        this.#calls.abort(effect.id);
        break;
      case 'answer':
        this.#calls.answer(effect.id, effect.option);
        break;
      case 'load':
        this.#answers.addLoad(this.#ledger.get(effect.id)?.owner ?? '', effect.id);
        break;
      case 'read':
        this.#read(effect);
        break;
      case 'commit':
      default:
        break;
    }
  }

  #read(effect: Extract<HandsEffect, { type: 'read' }>): void {
    const { frame, from } = effect;
    const work = async (): Promise<void> => {
      const hands = await this.#access.handsFor(from, frame.workspace).catch(toSynapseError);
      this.#answers.addRead(from ?? frame.brain, this.#reads.events(effect, hands));
      this.#schedule();
    };
    if (frame.of === 'tools') work().catch((error: unknown) => this.#fail(error));
    else this.#answers.addRead(from ?? frame.brain, this.#reads.events(effect));
  }

  #seal({ frame, to, kind, appends }: Extract<HandsEffect, { type: 'seal' }>): void {
    this.#sealed?.seal(frame, to, (made) => this.#event({ type: 'sealed', frame: made, kind }), appends);
  }

  #unseal(sealed: DataFrame, conn: number | undefined): void {
    const take = (frame: DataFrame, from: string): void => this.#event({ type: 'unsealed', frame, from, now: this.#pace.now() });
    this.#sealed?.open(sealed, take, () => this.#tellNotSealed(conn));
  }

  #tellStatus(effect: Extract<HandsEffect, { type: 'status' }>): void {
    const { status, text } = effect;
    this.#status({ ...effect, text: status === 'offline' ? (this.#line.problem ?? text) : text });
    if (status === 'stopped') this.#stopped.resolve();
  }

  #status(status: ConnectionStatus): void {
    this.#write(status.status, status.text);
    this.#options.onStatus?.(status);
  }

  #write(...status: Parameters<ServedStatus['write']>): void {
    const problem = this.#record.write(...status);
    this.#line.problem ??= problem;
  }

  #prove({ conn, nonce, hello }: Extract<HandsEffect, { type: 'prove' }>): void {
    const { pairing, url } = this.#options;
    const work = async (): Promise<void> => {
      const proof = (await pairing?.device.sign(proofText(audienceOf(url), nonce, hello))) ?? '';
      this.#event({ type: 'proved', conn, proof, now: this.#pace.now() });
    };
    work().catch((error: unknown) => this.#fail(error));
  }

  #halt(): void {
    this.#closed = true;
    clearInterval(this.#ticker);
    clearInterval(this.#forgetter);
    clearInterval(this.#watch);
    this.#disk[Symbol.dispose]();
    this.#line.end(1001, 'The machine disconnects.');
    this.#forwards.breakLine();
    this.#calls.abortAll();
  }

  /** Disconnects. Running calls are aborted and answer `interrupted` when the session is served again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#halt();
    await this.#calls.settled();
    this.#write('ended', 'Ended.');
    this.#stopped.resolve();
    this.#ledger[Symbol.dispose]();
  }
}
