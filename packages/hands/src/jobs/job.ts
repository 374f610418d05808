import type { Writable } from 'node:stream';
import { toSynapseError, type SandboxTier, type SynapseError } from '@synapse/protocol';
import type { ProcessOutcome, QuarantinedFile, RunningTree } from '../process/processes.ts';
import { endsWithPrompt } from '../process/prompt-line.ts';
import type { JobLog } from './job-log.ts';
import type { JobRecord } from './job-record.ts';
import { endingText, nextState, STARTED, type JobEvent, type JobState } from './job-state.ts';
import { lastLine, logText } from './log-text.ts';
import { waitsForInput } from './waits-for-input.ts';

/** So much of the end of a log is looked at for its last line. */
const LAST_LINE_BYTES = 4_096;
/** A program that has not said anything for so long may wait for an answer; in milliseconds. */
const IDLE_MS = 500;
/** Looking at the workspace takes at most this part of the time: it grows with the number of folders. */
const CHECK_PAUSE = 20;

/** What a job is. */
export interface JobIdentity {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly session: string;
  readonly callId: string;
  /** Whether it was started in the background; else it is a command whose call did not wait for its end. */
  readonly background: boolean;
  /** Whether it runs in a terminal. */
  readonly terminal: boolean;
  readonly startedAt: Date;
}

/** What a job needs to know about its surroundings. */
export interface JobParts extends JobIdentity {
  readonly log: JobLog;
  /** Is aborted to end it. */
  readonly stopping: AbortController;
  readonly onChange: (job: Job, change: 'started' | 'output' | 'ended' | 'detached', output?: Uint8Array) => void;
}

/** A command that outlives the call which started it. */
export class Job implements JobIdentity {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly session: string;
  readonly callId: string;
  readonly background: boolean;
  readonly terminal: boolean;
  readonly startedAt: Date;
  readonly log: JobLog;
  /** Where the last answer about its output ended. */
  cursor = 0;
  /** Up to where a wait has searched it. */
  searched = 0;
  /** Why it failed, where it is not its own doing. */
  failure: SynapseError | undefined;
  /** Settles when it has an input, or will have none: a job may have to wait for its turn. */
  readonly opened: Promise<void>;
  tree: RunningTree | undefined;
  outcome: ProcessOutcome | undefined;
  endedAt: Date | undefined;
  /** Files that were taken away while it runs, and are to be told. */
  readonly takenAway: QuarantinedFile[] = [];
  /** What is to be told about it with the next answer, such as what became of its changes. */
  readonly news: string[] = [];
  /** Settles when it has ended and all is known about it. */
  readonly ended: Promise<void>;
  readonly #finish: () => void;
  readonly #open: () => void;
  #input: Writable | undefined;
  readonly #parts: JobParts;
  readonly #listeners = new Set<() => void>();
  #state: JobState = STARTED;
  #lastOutputAt = performance.now();
  #checkAgainAt = 0;

  constructor(parts: JobParts) {
    this.#parts = parts;
    ({
      id: this.id,
      command: this.command,
      cwd: this.cwd,
      session: this.session,
      callId: this.callId,
      background: this.background,
      terminal: this.terminal,
      startedAt: this.startedAt,
      log: this.log,
    } = parts);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#finish = resolve;
    const opening = Promise.withResolvers<void>();
    this.opened = opening.promise;
    this.#open = opening.resolve;
    if (!this.background) this.#open();
  }

  /** Where it can be written to; undefined where it has no input. */
  get input(): Writable | undefined {
    return this.#input;
  }

  set input(input: Writable | undefined) {
    this.#input = input;
    this.#open();
  }

  get state(): JobState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state.status === 'ended';
  }

  /** Milliseconds since it said something. */
  get idleMs(): number {
    return performance.now() - this.#lastOutputAt;
  }

  get sandbox(): SandboxTier | undefined {
    return this.outcome?.sandbox;
  }

  /** Files that another program would have executed, taken away when it had ended. */
  get quarantined(): readonly QuarantinedFile[] {
    return this.outcome?.quarantined ?? [];
  }

  /** Takes what it says. */
  write(chunk: Uint8Array): void {
    this.#lastOutputAt = performance.now();
    this.log.write(chunk);
    this.#parts.onChange(this, 'output', chunk);
    this.#wake();
  }

  /** Notes that its first process runs. */
  started(tree: RunningTree): void {
    this.tree = tree;
    this.#parts.onChange(this, 'started');
  }

  /** Moves it on. Nothing happens where the event means nothing in its state. */
  apply(event: JobEvent): void {
    const before = this.#state;
    this.#state = nextState(before, event);
    if (this.#state === before) return;
    if (this.#state.status === 'ending') this.#parts.stopping.abort();
    if (this.#state.status === 'running') this.#parts.onChange(this, 'detached');
    if (this.#state.status !== 'ended') return;
    this.endedAt = new Date();
    this.log[Symbol.dispose]();
    this.#parts.onChange(this, 'ended');
    this.#open();
    this.#finish();
    this.#wake();
  }

  /** Hears whenever it says something or ends. Returns a function that ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Judges what it has left in the workspace up to now, unless that was done a moment ago. */
  async checkWorkspace(): Promise<void> {
    if (this.isOver || this.tree?.check === undefined || performance.now() < this.#checkAgainAt) return;
    const startedAt = performance.now();
    // Also while this one is under way.
    this.#checkAgainAt = Number.POSITIVE_INFINITY;
    try {
      this.takenAway.push(...(await this.tree.check()));
    } catch (error) {
      this.news.push(`What it has left in the workspace could not be judged: ${toSynapseError(error).message}`);
    }
    const now = performance.now();
    this.#checkAgainAt = now + CHECK_PAUSE * (now - startedAt);
  }

  /** The last line that it wrote. */
  lastLine(): string {
    const { bytes } = this.log.read(Math.max(0, this.log.end - LAST_LINE_BYTES), LAST_LINE_BYTES);
    return lastLine(logText(bytes, { begins: false, ends: true }).text);
  }

  /** Whether it is blocked reading its input; where the system does not tell, whether it looks so. */
  waitsForInput(): boolean {
    if (this.isOver || this.input === undefined || this.tree === undefined) return false;
    return waitsForInput(this.tree.list()) || (this.idleMs >= IDLE_MS && endsWithPrompt(this.#tail()));
  }

  record(owner: string, boot: string, redact: (text: string) => string): JobRecord {
    const root = this.tree?.root;
    const state = this.#state;
    return {
      id: this.id,
      command: redact(this.command),
      cwd: this.cwd,
      session: this.session,
      call: this.callId,
      started_at: this.startedAt.toISOString(),
      owner,
      boot,
      process: root?.startTime === undefined ? null : { pid: root.pid, start_time: root.startTime, mark: root.mark },
      status: state.status,
      detached: state.status !== 'ended' && state.detached,
      exit_code: this.outcome?.exitCode ?? null,
      ending: state.status === 'ended' ? endingText(state.ending) : null,
      ended_at: this.endedAt?.toISOString() ?? null,
      sandbox: this.sandbox ?? null,
    };
  }

  #tail(): string {
    const { bytes } = this.log.read(Math.max(0, this.log.end - LAST_LINE_BYTES), LAST_LINE_BYTES);
    return logText(bytes, { begins: false, ends: true }).text;
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}
