import type { Writable } from 'node:stream';
import { toSynapseError, type SandboxTier, type SynapseError } from '@synapse/protocol';
import type { TreeRoot } from '../process/process-tree.ts';
import type { ProcessOutcome, QuarantinedFile, RunningTree } from '../process/processes.ts';
import { endsWithPrompt } from '../process/progress-feed.ts';
import type { Keeper } from './job-keeper.ts';
import type { JobLog } from './job-log.ts';
import type { JobRecord } from './job-record.ts';
import type { JobPipes } from './job-pipes.ts';
import { endingText, nextState, STARTED, type JobEvent, type JobState } from './job-state.ts';
import { lastLine, logText } from './log-text.ts';
import { waitsForInput } from './waits-for-input.ts';

/** Maximum number of bytes read from the end of a log to find its last line. */
const LAST_LINE_BYTES = 4_096;
/** Milliseconds without output after which a program may be waiting for input. */
const IDLE_MS = 500;
/** The pause after a check of the workspace, as a multiple of the check's duration, which grows with the number of folders. */
const CHECK_PAUSE = 20;

/** The first process as its record has it; null if it cannot be told from a later one with its id. */
const processIn = ({ pid, startTime, tag }: TreeRoot): JobRecord['process'] =>
  startTime === undefined ? null : { pid, start_time: startTime, mark: tag };

/** The data that identifies a job. */
export interface JobIdentity {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly session: string;
  readonly callId: string;
  /** Whether it was started in the background. Otherwise it is a command whose call stopped waiting for it. */
  readonly background: boolean;
  /** Whether it runs in a terminal. */
  readonly terminal: boolean;
  readonly startedAt: Date;
}

/** Dependencies of a job. */
export interface JobParts extends JobIdentity {
  readonly log: JobLog;
  /** Aborted to end the job. */
  readonly stopping: AbortController;
  /** What another process needs to record its end. */
  readonly basis?: () => unknown;
  readonly onChange: (job: Job, change: 'started' | 'output' | 'ended' | 'detached', output?: Uint8Array) => void;
}

/** A command that outlives the call that started it. */
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
  /** Offset of the end of the last output that an answer showed. */
  cursor = 0;
  /** Offset from which a wait searches the output: what the last wait showed, or what was there when the last input or signal was sent. */
  searched = 0;
  /** The error if the job failed to run. */
  failure: SynapseError | undefined;
  /** Resolves when the job has an input or will never have one. A job may have to wait for its turn. */
  readonly opened: Promise<void>;
  tree: RunningTree | undefined;
  /** The process that takes the job over when this one ends. Undefined: the job ends with this process. */
  keeper: Keeper | undefined;
  /** The pipes through which a keeper takes over. */
  pipes: JobPipes | undefined;
  /** Unix time of the timeout in milliseconds. */
  endsAt: number | undefined;
  outcome: ProcessOutcome | undefined;
  endedAt: Date | undefined;
  /** Whether its command has ended and that is being recorded: nothing changes how it ended any more. */
  isClosing = false;
  /** Whether its end is in the audit log. */
  recorded = false;
  /** Files quarantined while the job runs, to be reported. */
  readonly takenAway: QuarantinedFile[] = [];
  /** Notes for the next answer, such as the outcome of its changes. */
  readonly news: string[] = [];
  /** Resolves when the job has ended and its outcome is known. */
  readonly ended: Promise<void>;
  readonly #finish: () => void;
  readonly #open: () => void;
  #input: Writable | undefined;
  readonly #parts: JobParts;
  readonly #listeners = new Set<() => void>();
  #state: JobState = STARTED;
  #lostSoFar: readonly string[] = [];
  #isLetGo = false;
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

  /** The stream to write to; undefined if the job has no input. */
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

  /** Whether a keeper has taken the job over. This process then changes nothing of it any more. */
  get isLetGo(): boolean {
    return this.#isLetGo;
  }

  /** Lets the keeper take over. Returns false if there is none. */
  letGo(): boolean {
    if (this.keeper === undefined || this.isClosing || this.#state.status !== 'running') return false;
    this.#isLetGo = true;
    // First what this process reads: what it has taken from a pipe, the keeper would miss.
    this.tree?.letGo?.();
    this.log[Symbol.dispose]();
    this.pipes?.[Symbol.dispose]();
    this.keeper.letGo();
    return true;
  }

  /** Milliseconds since the last output. */
  get idleMs(): number {
    return performance.now() - this.#lastOutputAt;
  }

  get sandbox(): SandboxTier | undefined {
    return this.outcome?.sandbox;
  }

  /** Files that another program would have executed, quarantined after the job ended. */
  get quarantined(): readonly QuarantinedFile[] {
    return this.outcome?.quarantined ?? [];
  }

  /** What it wrote outside the workspace and is gone, or will be when it ends: paths relative to the workspace. */
  get lost(): readonly string[] {
    if (!this.isOver && this.state.status !== 'ending') return this.tree?.lost?.() ?? [];
    const { lost = [] } = this.outcome ?? {};
    return lost.length > 0 ? lost : this.#lostSoFar;
  }

  /** Receives output of the job. */
  write(chunk: Uint8Array): void {
    if (this.#isLetGo) return;
    this.#lastOutputAt = performance.now();
    this.log.write(chunk);
    this.#parts.onChange(this, 'output', chunk);
    this.#wake();
  }

  /** Records that the first process runs. */
  started(tree: RunningTree): void {
    this.tree = tree;
    this.#parts.onChange(this, 'started');
  }

  /** Applies an event. Ignores an event that has no effect in the current state. */
  apply(event: JobEvent): void {
    if (this.#isLetGo || (this.isClosing && event.type === 'stop')) return;
    const before = this.#state;
    this.#state = nextState(before, event);
    if (this.#state === before) return;
    if (this.#state.status === 'ending') {
      // What it wrote there ends with it, and it cannot report that any more.
      this.#lostSoFar = this.tree?.lost?.() ?? [];
      this.#parts.stopping.abort();
    }
    if (this.#state.status === 'running') this.#parts.onChange(this, 'detached');
    if (this.#state.status !== 'ended') return;
    this.endedAt = new Date();
    this.log[Symbol.dispose]();
    this.#parts.onChange(this, 'ended');
    this.#open();
    this.#finish();
    this.#wake();
  }

  /** Calls the listener on output and on the job's end. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Checks the files that the job has left in the workspace so far, unless this was done recently. */
  async checkWorkspace(): Promise<void> {
    if (this.isOver || this.tree?.check === undefined || performance.now() < this.#checkAgainAt) return;
    const startedAt = performance.now();
    // Also prevents a second check during this one.
    this.#checkAgainAt = Number.POSITIVE_INFINITY;
    try {
      this.takenAway.push(...(await this.tree.check()));
    } catch (error) {
      this.news.push(`What it has left in the workspace could not be judged: ${toSynapseError(error).message}`);
    }
    const now = performance.now();
    this.#checkAgainAt = now + CHECK_PAUSE * (now - startedAt);
  }

  /** Returns the last line of output. */
  lastLine(): string {
    const { bytes } = this.log.read(Math.max(0, this.log.end - LAST_LINE_BYTES), LAST_LINE_BYTES);
    return lastLine(logText(bytes, { begins: false, ends: true }).text);
  }

  /** Whether the job is blocked reading its input. If the system does not report this, guesses from the output. */
  waitsForInput(): boolean {
    if (this.isOver || this.input === undefined || this.tree === undefined) return false;
    return waitsForInput(this.tree.list()) || (this.idleMs >= IDLE_MS && endsWithPrompt(this.#tail()));
  }

  record(owner: string, boot: string, redact: (text: string) => string): JobRecord {
    const { tree } = this;
    const state = this.#state;
    return {
      id: this.id,
      command: redact(this.command),
      cwd: this.cwd,
      session: this.session,
      call: this.callId,
      started_at: this.startedAt.toISOString(),
      owner: this.isOver ? owner : (this.keeper?.identity ?? owner),
      boot,
      process: tree === undefined ? null : processIn(tree.root),
      status: state.status,
      detached: state.status !== 'ended' && state.detached,
      outlives: state.status !== 'ended' && this.keeper !== undefined,
      exit_code: this.outcome?.exitCode ?? null,
      ending: state.status === 'ended' ? endingText(state.ending) : null,
      notes: [...this.news],
      ended_at: this.endedAt?.toISOString() ?? null,
      sandbox: this.sandbox ?? null,
      basis: this.#parts.basis?.(),
      recorded: this.recorded,
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
