import { compactSession, portableMessages, readModelName, runAgent, runProtocol, SessionStore, openModel, TodoList } from '@synapse/brain';
import type { AgentEvent, AgentResult, AgentSession, Compacted, RunAgentOptions, TaskContent } from '@synapse/brain';
import type { Approver, Hands } from '@synapse/hands';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { TypedLines } from '../approval/line-reader.ts';
import type { CommandIo } from '../command/command.ts';
import { currentBranch } from '../branch/branch-variable.ts';
import { openAgentPlace, type RunOptions } from './agent-place.ts';
import { attachFiles, type Attached } from './attach-files.ts';
import { openPrompt } from './open-prompt.ts';
import { openScreen, type LiveInput } from './open-screen.ts';
import { personOf } from './person.ts';
import { openReport } from './run-report.ts';

/** Hands, a model and a session, ready for tasks. */
export interface AgentRun extends AsyncDisposable {
  /** @throws SynapseError `unavailable` if the calls run on another machine */
  readonly hands: Hands;
  readonly session: AgentSession;
  readonly todos: TodoList;
  /** Where the run is shown, and what else writes there. */
  readonly io: Pick<CommandIo, 'out' | 'err'>;
  /** The model as it was named. */
  readonly model: string;
  /** Works on a task. Without a task, continues the session. */
  work(task: string | TaskContent | undefined, signal: AbortSignal, takeMessages?: RunAgentOptions['takeMessages']): Promise<AgentResult>;
  /**
   * Reads the files that a message names.
   *
   * @throws SynapseError with the reason for a file that may not be read
   */
  attach(text: string, signal: AbortSignal, more?: readonly string[]): Promise<Attached>;
  /**
   * Runs a call by its canonical name, outside of a turn.
   *
   * @param asked who is asked. Default: the person of the run
   */
  call(name: string, input: unknown, signal: AbortSignal, asked?: Approver): ReturnType<Hands['call']>;
  /**
   * Continues with another model. Returns the options that were given for the one before, and still hold.
   *
   * @throws SynapseError `invalid_arguments` if a maximum cost counts with the price of the one before
   */
  changeModel(name: string): Promise<readonly string[]>;
  /** Replaces the conversation by a summary. */
  compact(focus: string | undefined, signal: AbortSignal): Promise<Compacted>;
  /** Begins a new session. Returns the id of the one before, if there was one. */
  clear(): string | undefined;
}

/** The terminal that shows a run and asks its user. */
interface AgentIo extends CommandIo {
  /** The reader of stdin, if it is already being read. */
  readonly lines?: TypedLines;
  readonly input?: LiveInput;
}

/** Opens everything an agent needs. */
export async function openAgentRun(options: RunOptions, io: AgentIo, resume?: string): Promise<AgentRun> {
  if (options.maxCost !== undefined && options.price === undefined)
    throw new SynapseError('invalid_arguments', 'No price for --max-cost.', {
      hint: 'Pass --price with US dollars per million tokens of input and output, such as --price 1.25,10.',
    });
  await using stack = new AsyncDisposableStack();
  let named = { model: options.model ?? '', baseUrl: options.baseUrl };
  let model = await openModel(options.model, { baseUrl: options.baseUrl });
  const store = stack.use(SessionStore.open(defaultStateFolder()));
  const screen = options.json || options.jsonl ? undefined : await openScreen(io, io.input);
  const shown = screen === undefined ? { out: io.out, err: io.err } : { out: screen.output(io.out), err: screen.output(io.err) };
  let root = options.remote ?? '';
  const { lines } = io;
  const nextLine = lines === undefined ? undefined : () => lines.next(io.signal);
  const approver = options.yes === true ? undefined : personOf(options, { ...io, ...shown, screen }, () => root);
  const place = stack.use(await openAgentPlace(options, { ...io, ...shown, nextLine }, approver));
  root = place.workspace;
  const report = openReport(options, { ...shown, screen }, place);
  const todos = new TodoList((items) => report.showTodos(items));
  const { protocol, tools, system } = await openPrompt(options, place, report.tools, todos);
  let prompt = await system(named.model);
  const { protocol: followed, dialect, remote } = options;
  // The files of another machine are in no branch of this one.
  const branch = remote === undefined ? currentBranch() : undefined;
  const setup = { workspace: place.workspace, protocol: followed, dialect, remote, branch };
  let session: AgentSession | undefined = resume === undefined ? undefined : store.resume(resume);
  const opened = stack.move();
  const open = (task: string): AgentSession => (session ??= store.create({ ...setup, ...named, task }));
  const contextTokens = options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens };
  const call: AgentRun['call'] = (name, input, signal, asked = approver) =>
    place.call(name, input, {
      signal,
      ...(session === undefined ? {} : { sessionId: session.id }),
      ...(asked === undefined ? {} : { approver: asked }),
    });
  return {
    get hands() {
      return place.hands;
    },
    get session() {
      return open('');
    },
    get model() {
      return named.model;
    },
    todos,
    io: shown,
    call,
    attach: (text, signal, more) => attachFiles(text, { call: (name, input) => call(name, input, signal), images: options.noImages !== true }, more),
    async work(task, signal, takeMessages) {
      const current = open(titleOf(task) ?? protocol?.title ?? '');
      const shared = {
        hands: tools,
        model,
        // For the events. On another machine, the person here is asked if it lets this device approve.
        ...(approver === undefined ? {} : { approver }),
        system: prompt,
        session: current,
        signal,
        onEvent: (event: AgentEvent) => report.show(event),
        price: options.price,
        evidence: place.records.evidence,
        limits: limitsOf(options),
        ...(options.budget === undefined ? {} : { budget: store.budget(options.budget) }),
        ...contextTokens,
        ...(options.noImages === true ? { images: false } : {}),
        ...(takeMessages === undefined ? {} : { takeMessages }),
      };
      screen?.start('Thinking');
      try {
        const result =
          protocol !== undefined && task === undefined
            ? await runProtocol({ ...shared, protocol, ...place.records })
            : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
        store.finish(current.id, result.status);
        return result;
      } finally {
        screen?.stop();
      }
    },
    async changeModel(name) {
      const next = modelAt(name, named);
      const kept = optionsOfModel(options);
      const before = model;
      model = await openModel(next.model, { baseUrl: next.baseUrl });
      prompt = await system(next.model);
      named = next;
      if (session === undefined) return kept;
      store.changeModel(session.id, next);
      if (model.provider !== before.provider) session.replace(portableMessages(session.messages));
      return kept;
    },
    async compact(focus, signal) {
      if (session === undefined || session.messages.length === 0) throw new SynapseError('invalid_arguments', 'There is nothing to summarize yet.');
      screen?.start('Summarizing the conversation');
      try {
        return await compactSession({ model, session, focus, signal, ...contextTokens, onEvent: (event) => report.show(event) });
      } finally {
        screen?.stop();
      }
    },
    clear() {
      const before = session?.id;
      session = undefined;
      todos.clear();
      return before;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The options that say something about a model, such as its price. */
function optionsOfModel({ maxCost, price, contextTokens, noImages }: RunOptions): string[] {
  if (maxCost !== undefined)
    throw new SynapseError('invalid_arguments', 'The model stays: --max-cost counts with the price of this one.', {
      hint: 'Begin a chat with the other model and its --price.',
    });
  return [
    ...(price === undefined ? [] : ['--price']),
    ...(contextTokens === undefined ? [] : ['--context-tokens']),
    ...(noImages === true ? ['--no-images'] : []),
  ];
}

/** A model by its new name. Another provider's server and key are not those of this one. */
function modelAt(name: string, { model, baseUrl }: { readonly model: string; readonly baseUrl: string | undefined }) {
  if (baseUrl === undefined) return { model: name, baseUrl };
  const keeps = readModelName(name, baseUrl).provider === readModelName(model, baseUrl).provider;
  return { model: name, baseUrl: keeps ? baseUrl : undefined };
}

function titleOf(task: string | TaskContent | undefined): string | undefined {
  if (task === undefined || typeof task === 'string') return task;
  return task.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(0);
}

function limitsOf({ maxCalls, maxTokens, maxCost }: RunOptions): { calls?: number; tokens?: number; costUsd?: number } {
  return {
    ...(maxCalls === undefined ? {} : { calls: maxCalls }),
    ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
    ...(maxCost === undefined ? {} : { costUsd: maxCost }),
  };
}
