import { randomBytes } from 'node:crypto';
import { findProtocol, runsOffline, SessionStore, type AgentSession, type SessionRecord } from '@synapse/brain';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import type { ConsoleParams, ConsoleRun, ConsoleTranscript } from '@synapse/protocol/console';
import { runModel } from './run-model.ts';
import { runWithoutModel } from './run-offline.ts';
import { waitingSteps } from './run-steps.ts';
import { Run, type RunPlace } from './run.ts';
import { sessionRun, startOf } from './session-run.ts';
import { storedTranscript } from './stored-transcript.ts';

/** Maximum number of recent sessions of other processes to show. */
const MAX_SESSIONS = 200;
/** Maximum number of their transcripts to keep in memory. */
const MAX_READ = 8;
/** Milliseconds between looks for what other processes did. */
const LOOK_MS = 700;

type Start = ConsoleParams<'runs.start'>;

const describe = (error: unknown): string => {
  const { message, hint } = toSynapseError(error);
  return hint === undefined ? message : `${message} ${hint}`;
};

const namesModel = ({ model, baseUrl }: Start): boolean => model !== undefined || baseUrl !== undefined;

/** @throws SynapseError with what is missing to start a run */
function assertCanStart(start: Start): void {
  const { protocol, task = '' } = start;
  if (!namesModel(start) && (protocol === undefined || !runsOffline(protocol)))
    throw new SynapseError('invalid_arguments', 'This needs a model.', {
      hint: 'Name one, such as anthropic/claude-sonnet-5, and set its API key.',
    });
  if (protocol === undefined && task.trim() === '') throw new SynapseError('invalid_arguments', 'Name a protocol, or say what to do.');
}

/** The runs of a project: those of this console, and the sessions of all other processes. */
export class RunBoard implements AsyncDisposable {
  readonly #place: RunPlace;
  readonly #runs = new Map<string, { readonly run: Run; readonly start: Start; session?: AgentSession; updatedAt?: number }>();
  readonly #sessions: SessionStore;
  readonly #timer: NodeJS.Timeout;
  #version = 0;
  /** Sessions whose transcripts were read, oldest first. */
  #read: string[] = [];

  constructor(place: RunPlace) {
    this.#place = place;
    this.#sessions = SessionStore.open(place.stateFolder);
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Lists the runs, oldest first. */
  list(): ConsoleRun[] {
    return Array.from(this.#runs.values(), ({ run }) => run.view).toSorted((a, b) => a.startedAt - b.startedAt);
  }

  transcript(id: string, end: number | undefined, since: number | undefined): ConsoleTranscript {
    const { run } = this.#find(id);
    this.#read = [...this.#read.filter((one) => one !== id), id];
    for (const old of this.#read.splice(0, Math.max(0, this.#read.length - MAX_READ))) this.#runs.get(old)?.run.forget();
    return run.transcript.part(end, since);
  }

  /** The session of the calls of a run. */
  sessionOf(id: string): string {
    return this.#find(id).run.view.session;
  }

  /** Says something to the model of a run. If the run ended, this is its next task. */
  say(id: string, text: string): void {
    const { run } = this.#find(id);
    if (!run.view.canSay) throw new SynapseError('conflict', 'This run has no model that you can talk to here.');
    if (run.works) run.say(text);
    else this.#continue(id, text);
  }

  async start(start: Start): Promise<ConsoleRun> {
    const { protocol: protocolId, task, model, baseUrl } = start;
    const hasModel = namesModel(start);
    assertCanStart(start);
    const { workspace } = this.#place.hands;
    const protocol = protocolId === undefined ? undefined : await findProtocol(workspace, protocolId);
    const title = task ?? protocol?.title ?? 'Task';
    const session = hasModel ? this.#sessions.create({ workspace, model: model ?? '', baseUrl, protocol: protocolId, task: title }) : undefined;
    const id = session?.id ?? `run-${randomBytes(4).toString('hex')}`;
    const run = new Run(this.#place, {
      id,
      title,
      session: id,
      ...(protocolId === undefined ? {} : { protocol: protocolId }),
      brain: hasModel ? (model ?? baseUrl ?? '') : 'offline',
      status: 'running',
      startedAt: Date.now(),
      steps: waitingSteps(protocol),
      calls: 0,
      text: '',
      revision: 0,
      canResume: false,
      canSay: hasModel,
    });
    this.#runs.set(id, { run, start, ...(session === undefined ? {} : { session }) });
    if (session === undefined) run.start(async (signal) => runWithoutModel(run, protocolId ?? '', this.#place.stateFolder, signal), describe);
    else this.#work(run, start, session, task);
    run.update({});
    return run.view;
  }

  /** Holds the next call until {@link resume}. */
  hold(id: string): void {
    const { run } = this.#find(id);
    if (run.view.status !== 'running') throw new SynapseError('conflict', 'This run is not running.');
    run.gate.hold();
    run.update({ status: 'held' });
  }

  /** Lets calls pass again; a stopped session continues. */
  resume(id: string): void {
    const { run } = this.#find(id);
    if (run.view.status === 'held') {
      run.gate.release();
      run.update({ status: 'running' });
      return;
    }
    if (!run.view.canResume) throw new SynapseError('conflict', 'This run cannot continue.', { hint: 'Start it again with Retry.' });
    this.#continue(id, undefined);
  }

  stop(id: string): void {
    this.#find(id).run.stop();
  }

  async retry(id: string): Promise<ConsoleRun> {
    return await this.start(this.#find(id).start);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const { run } of this.#runs.values()) run.stop();
    await Promise.all(Array.from(this.#runs.values(), async ({ run }) => run.ended()));
    this.#sessions[Symbol.dispose]();
  }

  #continue(id: string, task: string | undefined): void {
    const found = this.#find(id);
    const { run, start } = found;
    const session = (found.session ??= this.#sessions.resume(run.view.session));
    // Read before it is added to.
    void run.transcript;
    const { endedAt: _, reason: __, ...view } = run.view;
    run.update({ ...view, status: 'running', canResume: false });
    this.#work(run, start, session, task);
  }

  #work(run: Run, { protocol: id, model, baseUrl, price }: Start, session: AgentSession, task: string | undefined): void {
    const { stateFolder, hands } = this.#place;
    run.start(async (signal) => {
      const protocol = id === undefined ? undefined : await findProtocol(hands.workspace, id);
      try {
        const { status } = await runModel(run, { model, baseUrl, price, protocol, task, session, stateFolder }, signal);
        this.#sessions.finish(session.id, status);
      } catch (error) {
        this.#sessions.finish(session.id, 'failed');
        throw error;
      }
    }, describe);
  }

  /** Shows what other processes did with sessions. */
  #look(): void {
    const version = this.#sessions.version();
    if (version === this.#version) return;
    this.#version = version;
    for (const record of this.#sessions.list(this.#place.hands.workspace, MAX_SESSIONS).toReversed()) this.#addStored(record);
  }

  #addStored(record: SessionRecord): void {
    const { id, updatedAt } = record;
    const known = this.#runs.get(id);
    if (known === undefined) {
      const load = (revision: number) => storedTranscript(this.#sessions, this.#sessions.get(id), revision);
      const run = new Run(this.#place, sessionRun(record, 1), load);
      this.#runs.set(id, { run, start: startOf(record), updatedAt });
      run.update({});
      return;
    }
    // A run of this console tells its changes itself.
    if (known.updatedAt === undefined || known.updatedAt === updatedAt || known.run.works) return;
    known.updatedAt = updatedAt;
    known.run.reload((revision) => sessionRun(record, revision));
  }

  #find(id: string) {
    const found = this.#runs.get(id);
    if (found === undefined) throw new SynapseError('not_found', `Run not found: ${id.slice(0, 80)}`);
    return found;
  }
}
