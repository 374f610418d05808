import type { Hands } from '@synapse/hands';
import type { ToolCaller } from '@synapse/hands/providers';
import { errorText, isSynapseError } from '@synapse/protocol';
import type { EndedCall, KnownTool } from './tool-calls.ts';

type Answer = Awaited<ReturnType<ToolCaller['call']>>;
type Ended = Pick<EndedCall, 'output' | 'images' | 'changes'>;

function answerOf(answer: Answer): Omit<Ended, 'changes'> {
  const result = 'ok' in answer ? answer : answer.result;
  const images = result?.ok === true ? result.content.filter((block) => block.type === 'image') : [];
  if (!('ok' in answer)) return { output: answer.output, images };
  return { output: answer.ok ? answer.output : errorText(answer.error), images };
}

/** Passes calls on, and keeps the answer of each until it is shown. */
export class WatchedCalls {
  readonly #hands: Hands;
  readonly #answers = new Map<string, Answer>();
  readonly tools: ToolCaller;

  constructor(hands: Hands, tools: ToolCaller) {
    this.#hands = hands;
    this.tools = {
      tools: (format) => tools.tools(format),
      call: async (name, input, options) => {
        const answer = await tools.call(name, input, options);
        if (options?.callId !== undefined) this.#answers.set(options.callId, answer);
        return answer;
      },
    };
  }

  /** What a call answered and changed. */
  async ended(callId: string, known: KnownTool | undefined): Promise<Ended> {
    const answer = this.#answers.get(callId);
    this.#answers.delete(callId);
    if (answer === undefined) return { output: '', images: [], changes: [] };
    if (known?.effects === 'read') return { ...answerOf(answer), changes: [] };
    // A tool of a dialect may make several calls, of which the last one usually changes something.
    const last = 'ok' in answer ? undefined : answer.result?.meta.callId;
    const ids = new Set([callId, last ?? callId]);
    const changes = await Promise.all(Array.from(ids, async (id) => await this.#changesOf(id)));
    return { ...answerOf(answer), changes: changes.flat() };
  }

  async #changesOf(callId: string): Promise<Ended['changes']> {
    try {
      return await this.#hands.changes({ call: callId });
    } catch (error) {
      // Such as a call that was refused before it was recorded.
      if (isSynapseError(error)) return [];
      throw error;
    }
  }
}
