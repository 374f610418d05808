import type { CallResult } from '@synapse/protocol';
import { errorText } from '@synapse/protocol';

/** Limits of kept outputs: their number, and the characters of each and of all together. */
const MAX_ANSWERS = 2_000;
const MAX_ANSWER = 400_000;
const MAX_TOTAL = 32_000_000;

/** The output or error of a call. */
export interface KeptOutput {
  readonly output?: string;
  readonly error?: string;
}

/** Outputs of calls in this process. The audit log does not store them. */
export class OutputMemory {
  readonly #kept = new Map<string, KeptOutput>();
  #characters = 0;

  put(result: CallResult): void {
    const text = (result.ok ? result.output : errorText(result.error)).slice(0, MAX_ANSWER);
    this.#remove(result.meta.callId);
    this.#kept.set(result.meta.callId, result.ok ? { output: text } : { error: text });
    this.#characters += text.length;
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ANSWERS && this.#characters <= MAX_TOTAL) return;
      this.#remove(id);
    }
  }

  get(callId: string): KeptOutput {
    return this.#kept.get(callId) ?? {};
  }

  #remove(id: string): void {
    const { output = '', error = '' } = this.get(id);
    this.#characters -= output.length + error.length;
    this.#kept.delete(id);
  }
}
