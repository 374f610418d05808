import { rmSync } from 'node:fs';
import { SynapseError, toSynapseError, type CallEvent, type Progress } from '@synapse/protocol';
import type { ProcessOutcome, Processes } from '../process/processes.ts';
import { ProgressFeed } from '../process/progress-feed.ts';
import { EscapeStripper } from '../text/terminal-text.ts';
import { count } from '../text/amounts.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { NO_SESSION, type CallJobs } from './call-jobs.ts';
import { bootId, endLeftovers } from './end-leftovers.ts';
import { Job, type JobIdentity } from './job.ts';
import { assertInput, writeInput } from './job-input.ts';
import { newJobId, JobLog } from './job-log.ts';
import { exitFile, type JobRecord, makeJobsFolder, removeOldRecords, unrecorded, writeRecord } from './job-record.ts';
import type { Keeper, KeeperTask } from './job-keeper.ts';
import { openJobPipes } from './job-pipes.ts';
import { receiveMessages, type JobMessage, type TypedInput } from './job-mailbox.ts';
import { endingText, type JobEnding, type JobEvent, nextState } from './job-state.ts';

/** Maximum number of running jobs. Each takes the slot of a command, and some slots must stay free. */
const MAX_RUNNING = 8;
/** Maximum number of ended jobs that calls can still access. */
const MAX_ENDED = 32;

/** Dependencies of {@link Jobs}. */
export interface JobsParts {
  /** The folder for logs and records; outside the workspace. */
  readonly folder: string;
  readonly redact: (text: string) => string;
  readonly emit: (event: CallEvent) => void;
  /** Records the end of a job that its own process did not record. */
  readonly recordLost?: (record: JobRecord) => Promise<void>;
  /** Starts the process that takes over a job. Default: jobs end with this process. */
  readonly startKeeper?: (task: Omit<KeeperTask, 'workspace'>) => Promise<Keeper | undefined>;
}

/** The call that jobs are started for. */
export interface JobCaller {
  readonly callId: string;
  readonly sessionId: string | undefined;
  readonly tool: string;
  /** Runs a command in the real workspace. */
  readonly live: Pick<Processes, 'run'>;
  /** Notes for the call's answer; later ones become notes of the job. */
  readonly notes: readonly string[];
  /** Records the end of a job of the call. */
  readonly witness?: JobWitness;
}

/** Records the end of a job. */
export interface JobWitness {
  /** What another process needs to do so; undefined while that is not known. */
  readonly basis: () => unknown;
  readonly end: (job: Pick<JobIdentity, 'id' | 'command'>, ending: JobEnding, outcome: ProcessOutcome | undefined) => Promise<void>;
}

/** The jobs of hands. They end with their session or with the hands. */
export class Jobs implements AsyncDisposable {
  readonly #parts: JobsParts;
  readonly #jobs = new Map<string, Job>();
  readonly #leftovers: Promise<JobRecord[]>;
  #news: string[] = [];
  #mailbox: Disposable | undefined;

  constructor(parts: JobsParts) {
    this.#parts = parts;
    this.#leftovers = this.#endLeftovers();
    void this.#leftovers.then((ended) => {
      this.#news = ended.map(
        ({ id, command }) => `A job of a Synapse process that was killed still ran and was ended: ${id} (${command.slice(0, 60)}).`,
      );
    });
  }

  /** Returns the job functions for a call. */
  forCall(caller: JobCaller): CallJobs {
    const session = caller.sessionId ?? NO_SESSION;
    return {
      session,
      assertPossible: () => this.#assertRoom(),
      start: ({ command, folder, argv, cwd, environment, terminal, timeoutMs }) => {
        this.#assertRoom();
        const stopping = new AbortController();
        const job = this.#open({ ...this.#identity(caller, command, folder), background: true, terminal }, stopping, caller);
        const run = async (): Promise<ProcessOutcome> => {
          using pipes = await openJobPipes();
          const { folder: logs } = this.#parts;
          const ownInput =
            pipes === undefined ? {} : { input: pipes.inputReader, holding: { life: pipes.lifePath, exitFile: exitFile(logs, job.id) } };
          return await caller.live.run({
            argv,
            cwd,
            ...(environment === undefined ? {} : { environment }),
            ...ownInput,
            mode: 'job',
            hardened: true,
            countsLeft: true,
            network: { session, opens: true },
            signal: stopping.signal,
            onStart: (tree) => {
              job.pipes = pipes;
              pipes?.closeReader();
              if (pipes !== undefined) job.input = pipes.input;
              job.started(tree);
            },
            onInput: (input) => (pipes === undefined ? void (job.input = input) : undefined),
            onOutput: (_, chunk) => job.write(chunk),
          });
        };
        this.#follow(job, run(), caller, timeoutMs);
        return job;
      },
      adopt: ({ command, folder, stopping, run, tree, replay, ranMs, timeoutMs }) => {
        if (this.#running().length >= MAX_RUNNING) return undefined;
        const startedAt = new Date(Date.now() - ranMs);
        const job = this.#open({ ...this.#identity(caller, command, folder), startedAt, background: false, terminal: false }, stopping, caller);
        replay((bytes) => job.log.write(bytes));
        if (tree !== undefined) job.started(tree);
        this.#follow(job, run, caller, timeoutMs);
        return job;
      },
      list: () => this.list(session),
      get: (id) => {
        const job = this.#jobs.get(id);
        if (job?.session === session) return job;
        const own = this.list(session).map((one) => one.id);
        throw new SynapseError('not_found', `Job not found: ${id.slice(0, 40)}`, {
          hint: own.length === 0 ? 'This session has no jobs.' : `The jobs of this session are: ${own.join(', ')}.`,
        });
      },
      news: () => this.#news.splice(0),
    };
  }

  /** Lists the jobs of a session or of all sessions, oldest first. */
  list(session?: string): Job[] {
    return [...this.#jobs.values()].filter((job) => session === undefined || job.session === session);
  }

  /** Ends the jobs of a session except detached ones, and waits until they have ended. Returns how many. */
  async endSession(session: string): Promise<number> {
    const jobs = this.list(session);
    for (const job of jobs) job.apply({ type: 'stop', reason: 'session_ended' });
    const ending = jobs.filter(({ state }) => state.status === 'ending');
    await Promise.all(ending.map(({ ended }) => ended));
    return ending.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#mailbox?.[Symbol.dispose]();
    const jobs = [...this.#jobs.values()].filter((job) => !job.letGo());
    for (const job of jobs) {
      job.apply({ type: 'stop', reason: 'session_ended' });
      // A detached job that no other process takes over.
      job.apply({ type: 'stop', reason: 'stopped' });
    }
    await Promise.all(jobs.map(({ ended }) => ended));
    await this.#leftovers;
  }

  /** Ends what is left of the jobs of processes that are gone, and records how they ended. */
  async #endLeftovers(): Promise<JobRecord[]> {
    const { folder, recordLost } = this.#parts;
    const ended = await endLeftovers(folder).catch(() => []);
    for (const record of recordLost === undefined ? [] : unrecorded(folder)) {
      try {
        await recordLost?.(record);
        writeRecord(folder, { ...record, recorded: true });
      } catch {
        // For example, the disk is full. The next process tries again.
      }
    }
    return ended;
  }

  #running(): Job[] {
    return this.list().filter(({ isOver }) => !isOver);
  }

  #assertRoom(): void {
    const running = this.#running();
    if (running.length < MAX_RUNNING) return;
    throw new SynapseError('busy', `${count(running.length, 'job is', 'jobs are')} running, and more are not possible.`, {
      hint: 'Stop one that is no longer needed: job with action "stop".',
    });
  }

  #identity({ callId, sessionId = NO_SESSION }: JobCaller, command: string, cwd: string): Omit<JobIdentity, 'background' | 'terminal'> {
    return { id: newJobId(), command, cwd, session: sessionId, callId, startedAt: new Date() };
  }

  #open(identity: JobIdentity, stopping: AbortController, { tool, witness }: JobCaller): Job {
    const { folder, redact, emit } = this.#parts;
    if (this.#mailbox === undefined) {
      makeJobsFolder(folder);
      removeOldRecords(folder);
      this.#mailbox = receiveMessages(folder, (id, message) => this.#receive(id, message));
    }
    const told = {
      jobId: identity.id,
      callId: identity.callId,
      tool,
      ...(identity.session === NO_SESSION ? {} : { sessionId: identity.session }),
    };
    const decoder = new TextDecoder();
    const stripper = new EscapeStripper();
    const feed = new ProgressFeed(({ output = '' }: Progress) => emit({ type: 'job-output', ...told, output }));
    const job = new Job({
      ...identity,
      log: new JobLog(folder, identity.id),
      stopping,
      ...(witness === undefined ? {} : { basis: witness.basis }),
      onChange: (changed, change, output) => {
        if (change === 'output') {
          feed.add('stdout', stripper.strip(decoder.decode(output, { stream: true })));
          return;
        }
        this.#keep(changed);
        if (change !== 'ended' || changed.state.status !== 'ended') return;
        feed[Symbol.dispose]();
        rmSync(exitFile(folder, changed.id), { force: true });
        emit({ type: 'job-end', ...told, exitCode: changed.outcome?.exitCode ?? null, ending: endingText(changed.state.ending) });
      },
    });
    writeRecord(folder, job.record(processIdentity(), bootId(), redact));
    this.#jobs.set(job.id, job);
    this.#forgetOld();
    emit({ type: 'job-start', ...told, command: redact(job.command) });
    return job;
  }

  /** Saves the current record of a job. If the disk is full, the job runs and ends anyway, and other processes see the old record. */
  #keep(job: Job): void {
    if (job.isLetGo) return;
    try {
      writeRecord(this.#parts.folder, job.record(processIdentity(), bootId(), this.#parts.redact));
    } catch {
      // An error in the middle of a start would leave a process that is never stopped.
    }
  }

  #follow(job: Job, run: Promise<ProcessOutcome>, { notes, witness }: JobCaller, timeoutMs: number | undefined): void {
    const told = notes.length;
    if (timeoutMs !== undefined) job.endsAt = Date.now() + timeoutMs;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => job.apply({ type: 'stop', reason: 'timed_out' }), timeoutMs);
    timer?.unref();
    void run
      .then(
        (outcome) => {
          job.outcome = outcome;
          return { type: 'exit', exitCode: outcome.exitCode, signal: outcome.signal } as const;
        },
        (error: unknown) => {
          job.failure = toSynapseError(error);
          return { type: 'fail', message: job.failure.message } as const;
        },
      )
      .then(async (event) => {
        clearTimeout(timer);
        job.news.push(...notes.slice(told));
        await record(job, event, witness);
        job.apply(event);
      });
  }

  #receive(id: string, message: JobMessage): Promise<string | undefined> | undefined {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    if (message.type === 'input') return typeInto(job, message);
    if (message.type === 'detach') return this.#detach(job);
    job.apply({ type: 'stop', reason: 'stopped' });
    return Promise.resolve(undefined);
  }

  /** Detaches a job from its session and, if possible, from this process. */
  async #detach(job: Job): Promise<undefined> {
    await job.opened;
    if (job.keeper === undefined) await this.#keepBeyond(job);
    job.apply({ type: 'detach' });
  }

  /** Starts a keeper for a job and hands the job over to it. */
  async #keepBeyond(job: Job): Promise<void> {
    const { startKeeper, folder } = this.#parts;
    const { pipes, tree } = job;
    if (startKeeper === undefined || pipes === undefined || tree?.transferOwnership === undefined) return;
    const { process: first } = job.record(processIdentity(), bootId(), this.#parts.redact);
    if (first === null || job.isOver) return;
    const keeper = await startKeeper({
      folder,
      id: job.id,
      process: first,
      owner: { pid: process.pid, life: pipes.life },
      input: !pipes.input.writableEnded,
      terminal: job.terminal,
      ends_at: job.endsAt ?? null,
    });
    if (keeper === undefined) return;
    if (job.isOver) return keeper.tell('ended');
    tree.transferOwnership(keeper.identity);
    job.keeper = keeper;
    void job.ended.then(() => keeper.tell('ended'));
    pipes.input.once('finish', () => keeper.tell('eof'));
    void keeper.ended.then(() => {
      if (job.isOver || job.isLetGo) return;
      // It was killed, so the job belongs to this process again.
      job.keeper = undefined;
      tree.transferOwnership?.(processIdentity());
      this.#keep(job);
    });
  }

  #forgetOld(): void {
    const ended = this.list().filter(({ isOver }) => isOver);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#jobs.delete(id);
  }
}

/** Records how a job ended, before it is reported. */
async function record(job: Job, event: JobEvent, witness: JobWitness | undefined): Promise<void> {
  const next = nextState(job.state, event);
  if (job.isLetGo || next.status !== 'ended' || witness === undefined) return;
  job.isClosing = true;
  try {
    await witness.end(job, next.ending, job.outcome);
    job.recorded = true;
  } catch {
    // For example, the disk is full. A later process tries again.
  }
}

/** Types text from a person. No rule checks it, but it must be whole lines, like text from a model. */
async function typeInto(job: Job, { text, eof }: TypedInput): Promise<string | undefined> {
  try {
    await job.opened;
    assertInput(job, text);
    await writeInput(job, text, eof);
    return undefined;
  } catch (error) {
    return toSynapseError(error).message;
  }
}
