import { setTimeout as delay } from 'node:timers/promises';
import type { CallResult } from '@synapse/protocol';
import { errorText } from '@synapse/protocol';

/** Limits of kept outputs: their number, and the characters of each and of all together. */
const MAX_ANSWERS = 2_000;
const MAX_ANSWER = 400_000;
const MAX_TOTAL = 32_000_000;
/** Milliseconds in which the output of a call of another process comes. */
const LATE_MS = 2_000;

const keyOf = (root: string, call: string): string => JSON.stringify([root, call]);

/** The output or error of a call. */
export interface KeptOutput {
  readonly output?: string;
  readonly error?: string;
}

/** Outputs of calls, of this process and of those that told them. The audit log does not store them. */
export class OutputMemory {
  readonly #kept = new Map<string, KeptOutput>();
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  #characters = 0;

  put(root: string, result: CallResult): void {
    this.putText(root, { call: result.meta.callId, ok: result.ok, text: result.ok ? result.output : errorText(result.error) });
  }

  /** Keeps the text of a call of a project. Ids of calls may come from a caller, so they are unique only in a project. */
  putText(root: string, { call, ok, text: whole }: { readonly call: string; readonly ok: boolean; readonly text: string }): void {
    const text = whole.slice(0, MAX_ANSWER);
    const key = keyOf(root, call);
    this.#remove(key);
    this.#kept.set(key, ok ? { output: text } : { error: text });
    this.#characters += text.length;
    this.#waiting.get(key)?.resolve();
    for (const key of this.#kept.keys()) {
      if (this.#kept.size <= MAX_ANSWERS && this.#characters <= MAX_TOTAL) return;
      this.#remove(key);
    }
  }

  /** The text of a call that has just ended, which may come a little later than the record of its end. */
  async soon(root: string, call: string): Promise<KeptOutput> {
    const key = keyOf(root, call);
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    if (this.#kept.has(key)) return this.get(root, call);
    this.#waiting.set(key, waiting);
    const over = new AbortController();
    await Promise.race([waiting.promise, delay(LATE_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined)]);
    over.abort();
    this.#waiting.delete(key);
    return this.get(root, call);
  }

  get(root: string, call: string): KeptOutput {
    return this.#kept.get(keyOf(root, call)) ?? {};
  }

  #remove(key: string): void {
    const { output = '', error = '' } = this.#kept.get(key) ?? {};
    this.#characters -= output.length + error.length;
    this.#kept.delete(key);
  }
}
