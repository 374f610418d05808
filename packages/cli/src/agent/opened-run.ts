import { compactSession, portableMessages, runAgent, runProtocol } from '@synapse/brain';
import type { AgentEvent, AgentResult, AgentSession, Compacted, SessionStore, TaskContent, TodoList } from '@synapse/brain';
import type { Approver, Hands } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import type { LiveScreen } from '../screen/live-screen.ts';
import type { AgentPlace, RunOptions } from './agent-place.ts';
import type { AgentRun } from './agent-run.ts';
import { attachFiles, type Attached } from './attach-files.ts';
import { chooseModel, modelAt, optionsOfModel, type ChosenModel } from './chosen-model.ts';
import type { AgentPrompt } from './open-prompt.ts';
import type { RunReport } from './run-report.ts';

/** What was opened for a run. */
export interface OpenedParts {
  readonly options: RunOptions;
  readonly place: AgentPlace;
  readonly store: SessionStore;
  readonly io: Pick<CommandIo, 'out' | 'err'>;
  readonly screen: LiveScreen | undefined;
  readonly report: RunReport;
  readonly todos: TodoList;
  readonly prompt: AgentPrompt;
  /** The person of the run. */
  readonly approver: Approver | undefined;
  /** What a new session is stored with, beside its model and task. */
  readonly setup: Omit<Parameters<SessionStore['create']>[0], 'model' | 'baseUrl' | 'task'>;
  /** Closes everything. */
  readonly close: () => Promise<void>;
}

/** A run whose parts are open. */
export class OpenedRun implements AgentRun {
  readonly todos: TodoList;
  readonly io: AgentRun['io'];
  readonly #parts: OpenedParts;
  readonly #contextTokens: { readonly contextTokens?: number };
  #chosen: ChosenModel;
  #session: AgentSession | undefined;

  /** @param session the one to continue. Default: a new one with the first task */
  constructor(parts: OpenedParts, chosen: ChosenModel, session: AgentSession | undefined) {
    const { contextTokens } = parts.options;
    this.#parts = parts;
    this.#chosen = chosen;
    this.#session = session;
    this.todos = parts.todos;
    this.io = parts.io;
    this.#contextTokens = contextTokens === undefined ? {} : { contextTokens };
  }

  get hands(): Hands {
    return this.#parts.place.hands;
  }

  get session(): AgentSession {
    return this.#open('');
  }

  get model(): string {
    return this.#chosen.named.model;
  }

  async call(name: string, input: unknown, signal: AbortSignal, asked = this.#parts.approver): ReturnType<Hands['call']> {
    return await this.#parts.place.call(name, input, {
      signal,
      ...(this.#session === undefined ? {} : { sessionId: this.#session.id }),
      ...(asked === undefined ? {} : { approver: asked }),
    });
  }

  async attach(text: string, signal: AbortSignal, more?: readonly string[]): Promise<Attached> {
    const images = this.#parts.options.noImages !== true;
    return await attachFiles(text, { call: async (name, input) => await this.call(name, input, signal), images }, more);
  }

  async work(...[task, signal, takeMessages]: Parameters<AgentRun['work']>): Promise<AgentResult> {
    const { place, store, screen, prompt } = this.#parts;
    const { protocol } = prompt;
    const session = this.#open(titleOf(task) ?? protocol?.title ?? '');
    const shared = { ...this.#turnOptions(), session, signal, ...(takeMessages === undefined ? {} : { takeMessages }) };
    screen?.start('Thinking');
    try {
      const result =
        protocol !== undefined && task === undefined
          ? await runProtocol({ ...shared, protocol, ...place.records })
          : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
      store.finish(session.id, result.status);
      return result;
    } finally {
      screen?.stop();
    }
  }

  async changeModel(name: string): Promise<readonly string[]> {
    const next = modelAt(name, this.#chosen.named);
    const kept = optionsOfModel(this.#parts.options);
    const before = this.#chosen.model;
    this.#chosen = await chooseModel(next, this.#parts.prompt.system);
    const session = this.#session;
    if (session === undefined) return kept;
    this.#parts.store.changeModel(session.id, next);
    if (this.#chosen.model.provider !== before.provider) session.replace(portableMessages(session.messages));
    return kept;
  }

  async compact(focus: string | undefined, signal: AbortSignal): Promise<Compacted> {
    const session = this.#session;
    if (session === undefined || session.messages.length === 0) throw new SynapseError('invalid_arguments', 'There is nothing to summarize yet.');
    const { screen, report } = this.#parts;
    screen?.start('Summarizing the conversation');
    try {
      const onEvent = (event: AgentEvent): void => report.show(event);
      return await compactSession({ model: this.#chosen.model, session, focus, signal, ...this.#contextTokens, onEvent });
    } finally {
      screen?.stop();
    }
  }

  clear(): string | undefined {
    const before = this.#session?.id;
    this.#session = undefined;
    this.todos.clear();
    return before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.close();
  }

  #open(task: string): AgentSession {
    const { store, setup } = this.#parts;
    return (this.#session ??= store.create({ ...setup, ...this.#chosen.named, task }));
  }

  /** What each turn has in common. */
  #turnOptions() {
    const { options, place, store, report, prompt, approver } = this.#parts;
    return {
      hands: prompt.tools,
      model: this.#chosen.model,
      system: this.#chosen.prompt,
      // For the events. On another machine, the person here is asked if it lets this device approve.
      ...(approver === undefined ? {} : { approver }),
      onEvent: (event: AgentEvent) => report.show(event),
      price: options.price,
      evidence: place.records.evidence,
      limits: limitsOf(options),
      ...(options.budget === undefined ? {} : { budget: store.budget(options.budget) }),
      ...this.#contextTokens,
      ...(options.noImages === true ? { images: false } : {}),
    };
  }
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
