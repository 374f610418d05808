import { errorText, type CallEvent, type CallResult } from '@synapse/protocol';
import { failedCall, type NearCall, type NearCalls } from '../branch-hands/near-calls.ts';
import { parseToolCall, refusedToolCall, type NearToolCall } from '../branch-hands/near-tools.ts';
import type { ToolCall } from '../branch-hands/methods.ts';
import { type CallOptions, optionsProblem } from '../call/call.ts';
import { copyInput } from '../call/copy-input.ts';
import type { DialectResult } from '../dialects/dialect.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { BranchSession } from './branch-session.ts';
import type { LinkToBranch } from './start-branch.ts';

/** What calls in a branch require. */
export interface BranchCallParts {
  readonly session: BranchSession;
  readonly calls: NearCalls;
  /** The calls of own tools that run, by their keys. */
  readonly toolCalls: Map<number, NearToolCall>;
  /** The tools of the embedding program. */
  readonly tools: readonly AnyTool[];
  /** Receives the end of a call that its process could not tell. */
  readonly emit: (event: CallEvent) => void;
}

/** A call as it goes to the process of a branch. */
interface SentCall {
  readonly name: string;
  readonly input: unknown;
  readonly tool?: ToolCall;
}

/** Runs calls in a branch. */
export class BranchCalls {
  readonly #parts: BranchCallParts;
  readonly #tools: ReadonlyMap<string, AnyTool>;

  constructor(parts: BranchCallParts) {
    this.#parts = parts;
    this.#tools = new Map(parts.tools.map((tool) => [tool.name, tool]));
  }

  /** Runs a tool. Never rejects. */
  async call(name: string, input: unknown, options: CallOptions): Promise<CallResult> {
    return await this.#whole(name, options, async (link, near) => {
      const sent = this.#send(name, input, near.settings.key);
      return await link.request('call', { ...sent, settings: near.settings }, near.waiting);
    });
  }

  /** Runs a tool of a dialect. Never rejects. */
  async dialect(dialect: string, name: string, input: unknown, options: CallOptions): Promise<DialectResult> {
    const answers: DialectResult[] = [];
    const result = await this.#whole(name, options, async (link, near) => {
      const answer = await link.request('dialect', { dialect, name, input: copyInput(input ?? {}), settings: near.settings }, near.waiting);
      answers.push(answer);
      return answer.result;
    });
    const [answer] = answers;
    if (answer !== undefined) return answer;
    const text = result.ok ? result.output : errorText(result.error);
    return { value: text, output: text, isError: true, result };
  }

  /** Uses the process with options of a call. */
  async with<T>(options: CallOptions, work: (link: LinkToBranch, near: NearCall) => Promise<T>): Promise<T> {
    const problem = optionsProblem(options);
    if (problem !== undefined) throw problem;
    using near = this.#parts.calls.open(options);
    return await this.#parts.session.run(async (link) => await work(link, near));
  }

  /** The arguments of an explanation, with what an own tool says about the call. */
  explained(name: string, input: unknown): SentCall {
    const tool = this.#tools.get(name);
    if (tool === undefined) return { name, input: copyInput(input ?? {}) };
    const call = parseToolCall(tool, input);
    return { name, input: call.input, tool: call.facts };
  }

  /** The same for a call that ends in a result in any case. */
  async #whole(name: string, options: CallOptions, work: (link: LinkToBranch, near: NearCall) => Promise<CallResult>): Promise<CallResult> {
    const startedAt = performance.now();
    let settings: NearCall['settings'] | undefined;
    try {
      return await this.with(options, async (link, near) => {
        settings = near.settings;
        try {
          return await work(link, near);
        } finally {
          this.#parts.toolCalls.delete(near.settings.key);
        }
      });
    } catch (error) {
      const { callId, sessionId, stepId } = settings?.options ?? (optionsProblem(options) === undefined ? options : {});
      const identity = {
        ...(callId === undefined ? {} : { callId }),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(stepId === undefined ? {} : { stepId }),
      };
      const failed = failedCall(name, identity, startedAt, error);
      const { meta } = failed;
      this.#parts.emit({
        type: 'call-end',
        callId: meta.callId,
        tool: meta.tool,
        ...(sessionId === undefined ? {} : { sessionId }),
        ok: false,
        error: failed.error,
        meta,
      });
      return failed;
    }
  }

  #send(name: string, input: unknown, key: number): SentCall {
    const tool = this.#tools.get(name);
    const meant = tool?.delegate?.(input);
    if (meant !== undefined) return { name: meant.tool, input: copyInput(meant.input ?? {}) };
    if (tool === undefined) return { name, input: copyInput(input ?? {}) };
    try {
      const call = parseToolCall(tool, input);
      this.#parts.toolCalls.set(key, call);
      return { name, input: call.input, tool: call.facts };
    } catch (error) {
      return { name, input: copyInput(input ?? {}), tool: refusedToolCall(error) };
    }
  }
}
