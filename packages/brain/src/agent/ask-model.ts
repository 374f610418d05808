import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AgentEvent } from './agent-event.ts';
import type { AgentStatus } from './agent-result.ts';
import { estimateTokens, makeRoom } from './context-budget.ts';
import { readModelFailure, type ModelFailureKind } from './model-failure.ts';
import { modelTurn, type ModelTurn } from './model-turn.ts';
import { retryDelay } from './retry-delay.ts';

/** The request of a turn. */
export interface AskOptions {
  readonly model: LanguageModelV4;
  readonly tools: readonly LanguageModelV4FunctionTool[];
  /** The current messages of the session. */
  readonly prompt: () => LanguageModelV4Prompt;
  readonly signal: AbortSignal;
  readonly random: () => number;
  /** Most tokens to send. */
  readonly usableTokens: number;
  /** Summaries of results, by the id of their call. */
  readonly summaries: ReadonlyMap<string, string>;
  /** Called with a shortened prompt. */
  readonly shorten: (prompt: LanguageModelV4Prompt) => void;
  readonly emit: (event: AgentEvent) => void;
}

/** A turn, or the end of the run. */
export type AskedModel =
  | { readonly ok: true; readonly turn: ModelTurn }
  | { readonly ok: false; readonly ending: { readonly status: AgentStatus; readonly text: string; readonly reason: string } };

/** The end of a run after a failure that a retry does not fix. */
const ENDS: Record<ModelFailureKind, AgentStatus> = {
  network: 'paused',
  busy: 'paused',
  context: 'limit',
  key: 'failed',
  'no-model': 'failed',
  rejected: 'failed',
};

/** Requests a turn from a model: shortens a prompt that is too long, and retries transient failures. */
export async function askModel(options: AskOptions): Promise<AskedModel> {
  const { model, tools, signal, emit } = options;
  let limit = options.usableTokens;
  for (let attempt = 0; ; attempt += 1) {
    makeRoomFor(options, limit);
    const prompt = options.prompt();
    try {
      const turn = await modelTurn({
        model,
        prompt,
        tools,
        signal,
        onText: (text) => emit({ type: 'text', text }),
        onReasoning: (text) => emit({ type: 'reasoning', text }),
      });
      return { ok: true, turn };
    } catch (error) {
      if (signal.aborted) return { ok: false, ending: { status: 'cancelled', text: '', reason: 'Stopped. The session is kept.' } };
      const failure = readModelFailure(error);
      if (failure.kind === 'context') {
        // The server counts tokens differently from the estimate, so try half.
        limit = Math.floor(Math.min(limit, estimateTokens(prompt)) / 2);
        if (makeRoomFor(options, limit)) continue;
      }
      const waitMs = retryDelay(failure, attempt, options.random());
      if (waitMs === undefined) return { ok: false, ending: { status: ENDS[failure.kind], text: '', reason: failure.message } };
      emit({ type: 'retry', attempt: attempt + 1, waitMs, reason: failure.message });
      // The next request notices an abort of this wait.
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** @returns whether anything was removed */
function makeRoomFor({ prompt, summaries, shorten, emit }: AskOptions, tokens: number): boolean {
  const whole = prompt();
  if (estimateTokens(whole) <= tokens) return false;
  const shorter = makeRoom(whole, tokens, summaries);
  if (shorter === undefined) return false;
  shorten(shorter);
  emit({ type: 'note', text: 'Older results of tools were shortened to stay within the context window.' });
  return true;
}
