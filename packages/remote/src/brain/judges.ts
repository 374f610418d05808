import type { DataFrames } from '@synapse/protocol/remote';
import { tell } from './tell.ts';

type Question = DataFrames['approval_request'];

/** Maximum number of questions that wait for a person at the same time. */
const MAX_QUESTIONS = 1_000;

/** Those who answer questions, also about calls of other devices. */
export class Judges {
  readonly #all = new Set<(request: Question) => void>();

  get exist(): boolean {
    return this.#all.size > 0;
  }

  take(request: Question): void {
    for (const judge of this.#all) judge(request);
  }

  /** Tells a listener each question once. Returns a function that ends it. */
  add(listener: (request: Question) => void): () => void {
    const told = new Map<string, number>();
    const judge = (request: Question): void => {
      const now = Date.now();
      for (const [id, expiresAt] of told) if (expiresAt < now) told.delete(id);
      // Repeated after each interruption of the connection. More than these come from a machine that does not wait for answers.
      if (told.has(request.approval_id) || told.size >= MAX_QUESTIONS) return;
      told.set(request.approval_id, request.expires_at);
      tell(listener, request);
    };
    this.#all.add(judge);
    return () => void this.#all.delete(judge);
  }
}
