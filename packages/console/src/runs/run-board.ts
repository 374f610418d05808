import { randomBytes } from 'node:crypto';
import { findProtocol, runsOffline, SessionStore, type AgentSession, type SessionRecord } from '@synapse/brain';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import type { ConsoleParams, ConsoleRun } from '@synapse/protocol/console';
import { runModel } from './run-model.ts';
import { runWithoutModel } from './run-offline.ts';
import { waitingSteps } from './run-steps.ts';
import { Run, type RunPlace } from './run.ts';

/** Maximum number of recent sessions to search for runs that can be resumed. */
const MAX_FORMER = 20;

type Start = ConsoleParams<'runs.start'>;

const describe = (error: unknown): string => {
  const { message, hint } = toSynapseError(error);
  return hint === undefined ? message : `${message} ${hint}`;
};

/** The runs of a project: those of this console, and sessions that can be resumed. */
export class RunBoard implements AsyncDisposable {
  readonly #place: RunPlace;
  readonly #runs = new Map<string, { readonly run: Run; readonly start: Start; session?: AgentSession }>();
  readonly #sessions: SessionStore;

  constructor(place: RunPlace) {
    this.#place = place;
    this.#sessions = SessionStore.open(place.stateFolder);
    for (const record of this.#sessions.list(place.hands.workspace).slice(0, MAX_FORMER).toReversed()) this.#addFormer(record);
  }

  /** Lists the runs, oldest first. */
  list(): ConsoleRun[] {
    return Array.from(this.#runs.values(), ({ run }) => run.view);
  }

  async start(start: Start): Promise<ConsoleRun> {
    const { protocol: protocolId, task, model, baseUrl } = start;
    const hasModel = model !== undefined || baseUrl !== undefined;
    if (!hasModel && (protocolId === undefined || !runsOffline(protocolId))) {
      throw new SynapseError('invalid_arguments', 'This needs a model.', {
        hint: 'Name one, such as anthropic/claude-sonnet-5, and set its API key.',
      });
    }
    if (protocolId === undefined && (task ?? '').trim() === '') throw new SynapseError('invalid_arguments', 'Name a protocol, or say what to do.');
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
      canResume: false,
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
    const found = this.#find(id);
    const { run, start } = found;
    if (run.view.status === 'held') {
      run.gate.release();
      run.update({ status: 'running' });
      return;
    }
    if (!run.view.canResume) throw new SynapseError('conflict', 'This run cannot continue.', { hint: 'Start it again with Retry.' });
    const session = (found.session ??= this.#sessions.resume(run.view.session));
    const { endedAt: _, reason: __, ...view } = run.view;
    run.update({ ...view, status: 'running', canResume: false });
    this.#work(run, start, session, undefined);
  }

  stop(id: string): void {
    this.#find(id).run.stop();
  }

  async retry(id: string): Promise<ConsoleRun> {
    return await this.start(this.#find(id).start);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { run } of this.#runs.values()) run.stop();
    await Promise.all(Array.from(this.#runs.values(), async ({ run }) => run.ended()));
    this.#sessions[Symbol.dispose]();
  }

  #work(run: Run, { protocol: id, model, baseUrl }: Start, session: AgentSession, task: string | undefined): void {
    const { stateFolder, hands } = this.#place;
    run.start(async (signal) => {
      const protocol = id === undefined ? undefined : await findProtocol(hands.workspace, id);
      try {
        const { status } = await runModel(run, { model, baseUrl, protocol, task, session, stateFolder }, signal);
        this.#sessions.finish(session.id, status);
      } catch (error) {
        this.#sessions.finish(session.id, 'failed');
        throw error;
      }
    }, describe);
  }

  #addFormer({ id, task, model, baseUrl, protocol, status, createdAt, updatedAt, calls }: SessionRecord): void {
    const canResume = status === 'paused' || status === 'cancelled';
    // A running session may belong to another process. Its calls are shown.
    if (!canResume) return;
    const run = new Run(this.#place, {
      id,
      title: task === '' ? (protocol ?? 'Session') : task,
      session: id,
      ...(protocol === undefined ? {} : { protocol }),
      brain: model === '' ? (baseUrl ?? '') : model,
      status: status === 'paused' ? 'paused' : 'stopped',
      startedAt: createdAt,
      endedAt: updatedAt,
      steps: [],
      calls,
      text: '',
      canResume,
    });
    this.#runs.set(id, {
      run,
      start: {
        ...(protocol === undefined ? { task } : { protocol }),
        ...(model === '' ? {} : { model }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      },
    });
  }

  #find(id: string) {
    const found = this.#runs.get(id);
    if (found === undefined) throw new SynapseError('not_found', `Run not found: ${id.slice(0, 80)}`);
    return found;
  }
}
