import { randomUUID } from 'node:crypto';
import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { CallOptions } from '@synapse/hands';
import type { AgentEvent } from './agent-event.ts';
import { INCOMPLETE, type AgentResult, type AgentStatus } from './agent-result.ts';
import { sessionCallId, temporarySession, type AgentSession } from './agent-session.ts';
import { agentTools, type AgentTools } from './agent-tools.ts';
import { announcing } from './announcing-approver.ts';
import { askModel, type AskedModel } from './ask-model.ts';
import { checkClaims } from '../report/claims/check-claims.ts';
import { claimNote } from '../report/claims/claim-note.ts';
import { toolsMeant } from '../report/call-meaning.ts';
import { parsedInput, type ModelTurn, type WantedCall } from './model-turn.ts';
import { ProtocolSteps } from './protocol-steps.ts';
import { REPETITION_HINT, RepeatedCalls } from './repeated-calls.ts';
import { runTurnCalls } from './run-turn-calls.ts';
import { BudgetShare } from './shared-budget.ts';
import { assertRunOptions, type RunAgentOptions, type TaskContent } from './run-agent-options.ts';
import { addCalls, addTurn, DEFAULT_AGENT_LIMITS, NOTHING_SPENT, reachedLimit, type AgentLimits, type Spending } from './spending.ts';

const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Tokens reserved for the answer and for errors of the estimate. */
const USABLE_SHARE = 0.75;
const LAST_WORD = 'The limit of tool calls is reached. Answer now with what you have; say what you could not check.';

/**
 * Runs an agent: model, tool calls, results, model, until the model is done or a limit is reached. Calls that only read
 * run in parallel. Never throws because of a model, a provider or a tool: the result says how it ended.
 *
 * @throws TypeError for a cost limit without a price; SynapseError `invalid_arguments` for options that are unknown or not what they must be
 * @example
 * await using hands = await createHands({ workspace: '.' });
 * const { text } = await runAgent({ hands, model: await openModel('openai/gpt-5.2'), system, task: 'What does this project do?' });
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  assertRunOptions(options);
  if (options.limits?.costUsd !== undefined && options.price === undefined) {
    throw new TypeError('A cost limit needs a price: pass `price` with US dollars per million tokens.');
  }
  const result = await new AgentLoop(options).run();
  options.onEvent?.({ type: 'done', result });
  return result;
}

interface Ending {
  readonly status: AgentStatus;
  readonly text: string;
  readonly reason?: string;
}

const NO_CALLS_LEFT = 'Not run: the limit of tool calls is reached.';
const LOOPED = 'Stopped: the model repeated one call five times.';
const TOO_LONG = 'The answer is longer than the model can write at once.';

class AgentLoop {
  readonly #options: RunAgentOptions;
  readonly #session: AgentSession;
  readonly #tools: AgentTools;
  readonly #limits: AgentLimits;
  readonly #steps: ProtocolSteps | undefined;
  readonly #repeated = new RepeatedCalls();
  readonly #summaries = new Map<string, string>();
  readonly #startedAt = performance.now();
  readonly #signal: AbortSignal;
  readonly #share: BudgetShare;
  #spent: Spending;
  #looping = false;

  constructor(options: RunAgentOptions) {
    this.#options = options;
    this.#session = options.session ?? temporarySession(randomUUID());
    this.#tools = agentTools(options.hands, options.images === undefined ? {} : { images: options.images });
    this.#limits = { ...DEFAULT_AGENT_LIMITS, ...options.limits };
    this.#steps = options.protocol === undefined ? undefined : new ProtocolSteps(options.protocol);
    this.#signal = options.signal ?? new AbortController().signal;
    this.#share = new BudgetShare(options.budget);
    this.#spent = { ...NOTHING_SPENT, calls: options.callsBefore ?? 0 };
    // A continued session starts at the step that its calls have reached.
    for (const { name, input } of this.#calls()) this.#steps?.see({ tools: toolsMeant(name, input), input: JSON.stringify(input) });
  }

  #emit(event: AgentEvent): void {
    this.#options.onEvent?.(event);
  }

  /** What counts toward the limits. */
  #counted(): Spending {
    return this.#share.counted(this.#spent);
  }

  #reached(limits: AgentLimits): string | undefined {
    return reachedLimit(limits, this.#counted(), performance.now() - this.#startedAt);
  }

  /** Returns a message about the limit that was reached, or counts a turn that begins. */
  #beginTurn(limits: AgentLimits): string | undefined {
    const reached = this.#reached(limits);
    if (reached !== undefined || this.#share.takeTurn(limits)) return reached;
    return this.#reached(limits) ?? 'Limit reached by other runs.';
  }

  async run(): Promise<AgentResult> {
    const { task, model } = this.#options;
    const resumed = this.#session.messages.length > 0;
    this.#emit({ type: 'session', sessionId: this.#session.id, model: `${model.provider}/${model.modelId}`, resumed });
    const { status, text, reason } = await this.#work(task);
    const claims = await this.#checkClaims(text);
    return { status, text, sessionId: this.#session.id, spending: this.#spent, ...(reason === undefined ? {} : { reason }), ...claims };
  }

  /** Checks what the last text claims, and tells what is not backed. */
  async #checkClaims(text: string): Promise<Pick<AgentResult, 'claims'>> {
    const { evidence } = this.#options;
    if (evidence === undefined || text === '') return {};
    try {
      const claims = checkClaims(text, await evidence(this.#session));
      for (const claim of claims.claims) if (claim.verdict !== 'backed') this.#emit({ type: 'note', text: claimNote(claim) });
      return { claims };
    } catch (error) {
      this.#emit({
        type: 'note',
        text: `What the answer claims could not be checked: ${error instanceof Error ? error.message : 'the records cannot be read'}`,
      });
      return {};
    }
  }

  async #work(task: RunAgentOptions['task']): Promise<Ending> {
    // An interrupted session has calls without results, and providers accept no message before those.
    const open = this.#unanswered();
    if (open.length > 0) await this.#answer(open);
    if (task !== undefined) this.#session.add({ role: 'user', content: contentOf(task) });
    for (;;) {
      if (this.#signal.aborted) return { status: 'cancelled', text: '', reason: 'Stopped. The session is kept.' };
      const limit = this.#beginTurn(this.#limits);
      if (limit !== undefined) return await this.#lastWord(limit);
      this.#takeMessages();
      const asked = await this.#ask(this.#tools.definitions);
      if (!asked.ok) return asked.ending;
      const { turn } = asked;
      this.#session.add(turn.message);
      if (turn.calls.length === 0) {
        if (turn.finish === 'content-filter' || !this.#takeMessages()) return this.#final(turn);
        continue;
      }
      await this.#answer(turn.calls);
      if (this.#looping) return { status: 'loop', text: this.#partial(turn.text, LOOPED), reason: LOOPED };
    }
  }

  /** Adds what the user said meanwhile. Returns whether there was something. */
  #takeMessages(): boolean {
    const messages = this.#options.takeMessages?.() ?? [];
    // Each on its own: of a message, the first text is what the user said, and the others are files.
    for (const message of messages) this.#session.add({ role: 'user', content: contentOf(message) });
    return messages.length > 0;
  }

  #final({ text, finish }: ModelTurn): Ending {
    this.#tellStep(this.#steps?.answer());
    if (finish === 'content-filter') return { status: 'refused', text, reason: 'The provider refused to answer. Rephrase the task.' };
    if (finish === 'length') return { status: 'limit', text: this.#partial(text, TOO_LONG), reason: TOO_LONG };
    return { status: 'done', text };
  }

  /** The text of a run that was stopped, with what stopped it. */
  #partial(text: string, reason: string): string {
    return [text.trim(), this.#stopped(reason)].filter((part) => part !== '').join('\n\n');
  }

  /** The sentence of the contract is about reports and steps. Any other task says what stopped it. */
  #stopped(reason: string): string {
    const isByCalls = this.#counted().calls >= (this.#limits.calls ?? Infinity);
    return this.#options.protocol !== undefined || isByCalls ? INCOMPLETE : `Stopped before the task was finished. ${reason}`;
  }

  /** After the limit on calls, the model may still write its answer; after a limit on tokens, cost or time, it may not. */
  async #lastWord(reason: string): Promise<Ending> {
    const { calls: _, ...others } = this.#limits;
    let text = '';
    if (this.#beginTurn(others) === undefined) {
      const asked = await this.#ask([], [{ role: 'user', content: [{ type: 'text', text: LAST_WORD }] }]);
      if (asked.ok) {
        text = asked.turn.text;
        this.#session.add({ role: 'assistant', content: [{ type: 'text', text: text === '' ? this.#stopped(reason) : text }] });
      }
    }
    return { status: 'limit', text: this.#partial(text, reason), reason };
  }

  async #ask(tools: AgentTools['definitions'], more: readonly LanguageModelV4Message[] = []): Promise<AskedModel> {
    const { model, system, price, contextTokens = DEFAULT_CONTEXT_TOKENS, random = Math.random } = this.#options;
    const prompt = (): LanguageModelV4Prompt => [{ role: 'system', content: system }, ...this.#session.messages, ...more];
    const asked = await askModel({
      model,
      tools,
      prompt,
      signal: this.#signal,
      random,
      usableTokens: Math.floor(contextTokens * USABLE_SHARE),
      summaries: this.#summaries,
      shorten: (messages) => this.#session.replace(messages.slice(1, more.length === 0 ? undefined : -more.length)),
      emit: (event) => this.#emit(event),
    });
    const spent = asked.ok ? addTurn(this.#spent, asked.turn.usage, price) : this.#spent;
    this.#share.endTurn(this.#spent, spent);
    this.#spent = spent;
    if (asked.ok) this.#emit({ type: 'usage', total: this.#spent });
    return asked;
  }

  /** The calls in the messages so far. */
  #calls(): { name: string; input: unknown }[] {
    return this.#session.messages.flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [{ name: part.toolName, input: part.input }] : [])) : [],
    );
  }

  /** The calls of the model's last message that have no results yet. */
  #unanswered(): WantedCall[] {
    const last = this.#session.messages.at(-1);
    if (last?.role !== 'assistant') return [];
    return last.content.flatMap((part) =>
      part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: JSON.stringify(part.input) }] : [],
    );
  }

  async #answer(calls: readonly WantedCall[]): Promise<void> {
    const parts = await runTurnCalls(
      calls,
      (name) => this.#tools.reads(name),
      (call, index) => this.#runCall(call, index),
    );
    this.#session.add({ role: 'tool', content: parts });
  }

  #callId({ id }: WantedCall, index: number): string {
    return sessionCallId(this.#session.id, this.#session.turns, index, id);
  }

  /** The answer of a call that is not run: it began before, or no call may begin any more. Undefined if it is run. */
  #answerBefore(wanted: WantedCall, callId: string): LanguageModelV4ToolResultPart | undefined {
    const before = this.#session.call(callId);
    if (before?.state === 'done') return JSON.parse(before.message) as LanguageModelV4ToolResultPart;
    if (before !== undefined) return failed(wanted, 'This call was interrupted. What it did is not known: look before you repeat it.');
    if (this.#signal.aborted) return failed(wanted, 'Stopped by a person; the call was not run.');
    return this.#counted().calls >= (this.#limits.calls ?? Infinity) ? failed(wanted, NO_CALLS_LEFT) : undefined;
  }

  async #runCall(wanted: WantedCall, index: number): Promise<LanguageModelV4ToolResultPart> {
    const callId = this.#callId(wanted, index);
    const known = this.#answerBefore(wanted, callId);
    if (known !== undefined) return known;
    const input = parsedInput(wanted.input);
    const repetition = this.#repeated.note(wanted.name, input);
    if (repetition === 'stop') {
      this.#looping = true;
      return failed(wanted, REPETITION_HINT);
    }
    // Other runs may have made the last call meanwhile.
    if (!this.#share.takeCall(this.#limits.calls)) return failed(wanted, NO_CALLS_LEFT);
    this.#spent = addCalls(this.#spent, 1);
    this.#session.startCall(callId, wanted.name);
    this.#emit({ type: 'call-start', callId, tool: wanted.name, input });
    this.#tellStep(this.#steps?.see({ tools: toolsMeant(wanted.name, input), input: wanted.input }));
    const startedAt = performance.now();
    const { part, ok, meta } = await this.#tools.call(wanted, this.#callOptions(callId));
    const summary = meta?.summary ?? `${wanted.name} → ${ok ? 'done' : 'failed'}`;
    this.#summaries.set(wanted.id, summary);
    const told = repetition === 'warn' ? withHint(part) : part;
    this.#session.endCall(callId, JSON.stringify(told));
    const error = part.output.type === 'error-text' ? { error: part.output.value.split('\n', 1)[0] ?? '' } : {};
    this.#emit({
      type: 'call-end',
      callId,
      tool: wanted.name,
      ok,
      completion: meta?.completion ?? (ok ? 'ok' : 'failed'),
      summary,
      ...error,
      durationMs: performance.now() - startedAt,
    });
    return told;
  }

  #callOptions(callId: string): CallOptions {
    const { approver, mode } = this.#options;
    const step = this.#steps?.current;
    return {
      callId,
      sessionId: this.#session.id,
      signal: this.#signal,
      onProgress: (progress) => this.#emit({ type: 'call-progress', callId, ...progress }),
      ...(mode === undefined ? {} : { mode }),
      ...(step === undefined ? {} : { stepId: step.id }),
      ...(approver === undefined ? {} : { approver: announcing(approver, (event) => this.#emit(event)) }),
    };
  }

  #tellStep(step: ReturnType<ProtocolSteps['see']>): void {
    if (step !== undefined) this.#emit({ type: 'step', ...step });
  }
}

function contentOf(said: string | TaskContent): TaskContent {
  return typeof said === 'string' ? [{ type: 'text', text: said }] : said;
}

function failed({ id, name }: WantedCall, why: string): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'error-text', value: `Error: ${why}` } };
}

function withHint(part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart {
  const { output } = part;
  if (output.type !== 'text' && output.type !== 'error-text') return part;
  return { ...part, output: { ...output, value: `${output.value}\n\n[${REPETITION_HINT}]` } };
}
