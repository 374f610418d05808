import { randomUUID } from 'node:crypto';
import { RequestError, type AvailableCommand, type ContentBlock, type StopReason } from '@agentclientprotocol/sdk';
import {
  buildSystemPrompt,
  runAgent,
  runProtocol,
  sessionEvidence,
  toolDescriptions,
  type AgentResult,
  type AgentSession,
  type ReasoningProtocol,
  type SessionStore,
  type TaskContent,
} from '@synapse/brain';
import { defaultStateFolder, until } from '@synapse/hands/internal';
import { MODES, type Mode } from '@synapse/hands/policy';
import { SynapseError } from '@synapse/protocol';
import { currentBranch } from '../branch/branch-variable.ts';
import { acpError } from './acp-error.ts';
import type { AcpOptions, AcpPlace } from './acp-place.ts';
import { eventUpdates } from './event-updates.ts';
import { onlyText, promptContent } from './prompt-content.ts';
import { nextPromptId, promptId } from './prompt-id.ts';
import { PromptLine, type TakenPrompt } from './prompt-line.ts';
import { replayedHistory } from './replayed-history.ts';
import { availableCommands, findCommand, isOwnCommand } from './slash-commands.ts';
import { stopReason } from './stop-reason.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Maximum number of characters of a task in the list of sessions. */
const MAX_TASK = 500;

interface SessionParts {
  readonly id: string;
  readonly place: AcpPlace;
  readonly store: SessionStore;
  readonly options: AcpOptions;
  /** Bounds the prompts that wait, together with those of the other sessions. */
  readonly room: WaitingRoom;
  /** Undefined until the first prompt of a new session: editors open sessions that are never used. */
  readonly stored: AgentSession | undefined;
}

/** The modes that an editor may choose: none is looser than the configured one. */
export interface SessionModes {
  readonly current: Mode;
  readonly allowed: readonly Mode[];
}

/** A session of an editor: prompts, one after the other. */
export class AcpSession implements AsyncDisposable {
  readonly #parts: SessionParts;
  readonly #configured: Mode;
  readonly #line: PromptLine;
  #stored: AgentSession | undefined;
  #running: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;
  #lastPromptId: string | undefined;
  #closed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#line = new PromptLine(parts.room);
    this.#stored = parts.stored;
    this.#configured = parts.place.hands.policy().mode;
  }

  modes(): SessionModes {
    return { current: this.#parts.place.hands.policy().mode, allowed: MODES.slice(0, MODES.indexOf(this.#configured) + 1) };
  }

  async commands(): Promise<AvailableCommand[]> {
    return await availableCommands(this.#parts.place.hands.workspace);
  }

  /**
   * Changes the mode, from the next call on.
   *
   * @throws SynapseError `invalid_arguments` for an unknown mode, `denied` for one that is looser than the configured one
   */
  setMode(wanted: string): Mode {
    const { hands } = this.#parts.place;
    const mode = MODES.find((one) => one === wanted);
    if (mode === undefined)
      throw new SynapseError('invalid_arguments', `Mode not found: ${wanted.slice(0, 40)}`, { hint: `The modes are: ${MODES.join(', ')}.` });
    if (MODES.indexOf(mode) > MODES.indexOf(this.#configured)) {
      throw new SynapseError('denied', `The mode ${mode} is looser than ${this.#configured}, which is configured.`, {
        hint: `A person can allow it: start with synapse acp --mode ${mode}, or set "mode" in the configuration.`,
      });
    }
    return hands.limitMode(mode);
  }

  /** Sends the slash commands. */
  async tellCommands(): Promise<void> {
    this.#parts.place.queue.addUpdate({ kind: 'commands', commands: await this.commands() });
  }

  /** Sends whether it works, which the editor may know already. */
  async tellActivity(): Promise<void> {
    const { activity, queue } = this.#parts.place;
    activity.tell();
    await queue.sent();
  }

  /** Sends everything that was said and done so far. */
  async replay(): Promise<void> {
    const { place, store, id } = this.#parts;
    const { queue, folder, known } = place;
    queue.add(() => replayedHistory(store.messages(id), { root: folder, known: known() }));
    await queue.sent();
  }

  /**
   * Takes a prompt, and begins to work on it.
   *
   * @param signal ends the work, in addition to {@link AcpSession.cancel}
   * @throws RequestError if another prompt is running
   * @throws SynapseError `invalid_arguments` or `too_large` for content that is not supported
   */
  take(blocks: readonly ContentBlock[], signal?: AbortSignal): TakenPrompt {
    this.#assertFree();
    return this.#begin(blocks, this.#contentOf(blocks), signal);
  }

  #contentOf(blocks: readonly ContentBlock[]): TaskContent {
    const { folder, hands } = this.#parts.place;
    return promptContent(blocks, [folder, hands.workspace]);
  }

  #assertFree(): void {
    const { id } = this.#parts;
    if (this.#closed) throw RequestError.sessionNotFound(id);
    if (this.#running !== undefined)
      throw RequestError.invalidRequest(undefined, 'a prompt of this session is running. Wait for it, or cancel it with session/cancel.');
  }

  #begin(blocks: readonly ContentBlock[], content: TaskContent, signal?: AbortSignal): TakenPrompt {
    this.#assertFree();
    const { place } = this.#parts;
    const messageId = this.#idOf(content);
    const controller = new AbortController();
    place.queue.addUpdate({ kind: 'prompt', messageId, content: blocks });
    const ending = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
    place.activity.begin(ending);
    const ended = this.#finished(this.#work(content, ending));
    this.#running = { controller, ended };
    return { messageId, ended };
  }

  /**
   * Takes a prompt when those before it have ended.
   *
   * @param signal withdraws it while it waits
   * @returns the id of its message
   * @throws RequestError -32800 if it was withdrawn
   * @throws SynapseError `invalid_arguments` or `too_large` at once for content that is not supported, `busy` if too much waits already
   */
  async takeInTurn(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<string> {
    const content = this.#contentOf(blocks);
    const characters = JSON.stringify(blocks).length;
    return await this.#line.next({ characters, take: () => this.#begin(blocks, content) }, signal);
  }

  /** Ends the prompt that runs, and withdraws those that wait. */
  cancel(): void {
    this.#line.withdraw();
    this.#running?.controller.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    this.cancel();
    await Promise.allSettled([running?.ended]);
    await this.#parts.place[Symbol.asyncDispose]();
  }

  #idOf(content: TaskContent): string {
    const next = this.#stored === undefined ? promptId(0, 0) : nextPromptId(this.#stored);
    // Such as one that failed before it was saved.
    const isTaken = next === this.#lastPromptId;
    if (isTaken || isOwnCommand(onlyText(content) ?? '')) return randomUUID();
    this.#lastPromptId = next;
    return next;
  }

  /** Tells how the work ended, once everything before that is sent. */
  async #finished(work: Promise<StopReason>): Promise<StopReason> {
    const { activity, queue } = this.#parts.place;
    try {
      const reason = await work;
      activity.end({ stopReason: reason });
      return reason;
    } catch (error) {
      const { code, message, data } = acpError(error);
      activity.end({ stopReason: 'error', error: { code, message, data } });
      throw error;
    } finally {
      this.#running = undefined;
      await queue.sent();
    }
  }

  async #work(content: TaskContent, signal: AbortSignal): Promise<StopReason> {
    const { place, id } = this.#parts;
    const { hands, queue } = place;
    const text = onlyText(content);
    const command = text === undefined ? undefined : await findCommand(text, hands.workspace);
    if (command?.kind === 'own') {
      const said = await command.run({ hands, sessionId: id, signal });
      queue.addUpdate({ kind: 'text', from: 'agent', messageId: randomUUID(), content: { type: 'text', text: said } });
      return signal.aborted ? 'cancelled' : 'end_turn';
    }
    // A run whose signal is aborted saves the prompt, and ends.
    await until(place.connected, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return stopReason(command === undefined ? await this.#run(content, undefined, signal) : await this.#run(command.task, command.protocol, signal));
  }

  async #run(task: TaskContent | string | undefined, protocol: ReasoningProtocol | undefined, signal: AbortSignal): Promise<AgentResult> {
    const { place, options, store, id } = this.#parts;
    const { hands, folder, tools, model, queue, calls, approver, setup } = place;
    const known = place.known();
    // Built anew for each prompt: the mode, and with it the constraints, may have changed.
    const system = await buildSystemPrompt({
      workspace: hands.workspace,
      constraints: hands.constraints({ canAsk: true }),
      model: setup.model,
      toolDescriptions: toolDescriptions(tools),
      operatorPrompt: 'optional',
      ...(protocol === undefined ? {} : { protocol }),
    });
    const session = (this.#stored ??= store.create({ ...setup, branch: currentBranch(), task: titleOf(task, protocol) }, id));
    const shared = {
      hands: tools,
      model,
      approver,
      system,
      session,
      signal,
      evidence: async ({ id, messages }: AgentSession) => await sessionEvidence(defaultStateFolder(), hands.workspace, id, messages),
      onEvent: eventUpdates({
        queue,
        root: folder,
        known,
        protocol,
        ended: async (callId, tool) => await calls.ended(callId, known(tool)),
      }),
      ...(options.maxCalls === undefined ? {} : { limits: { calls: options.maxCalls } }),
      ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
      ...(options.noImages === true ? { images: false } : {}),
    };
    const result =
      protocol !== undefined && task === undefined
        ? await runProtocol({ ...shared, protocol, root: hands.workspace })
        : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
    store.finish(session.id, result.status);
    return result;
  }
}

function titleOf(task: TaskContent | string | undefined, protocol: ReasoningProtocol | undefined): string {
  if (task === undefined) return protocol?.title ?? '';
  const text = typeof task === 'string' ? task : task.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
  return text.slice(0, MAX_TASK).toWellFormed();
}
