import type { RequestId } from '@modelcontextprotocol/server';

/** A number and a text are two ids. */
const keyOf = (id: RequestId): string => `${typeof id} ${id}`;

const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number';

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** The requests that a body cancels. */
export function cancelledIds(body: unknown): RequestId[] {
  return listed(body).flatMap((message) => {
    const cancelled = field(message, 'method') === 'notifications/cancelled' ? field(field(message, 'params'), 'requestId') : undefined;
    return isId(cancelled) ? [cancelled] : [];
  });
}

/**
 * The ids of the requests that a client of a session waits for. The SDK finds the stream for an answer by the id alone: of two
 * at once with the same one, one would never be answered, and the other might get its answer.
 */
export class RequestIds {
  readonly #waiting = new Set<string>();

  /**
   * Notes the requests of a body. What a client cancels it waits for no longer.
   *
   * @returns the first id that is waited for already; nothing is noted then
   */
  take(body: unknown): RequestId | undefined {
    const fresh = new Set<string>();
    for (const message of listed(body)) {
      const [id, method] = [field(message, 'id'), field(message, 'method')];
      if (typeof method !== 'string' || !isId(id)) continue;
      if (fresh.has(keyOf(id)) || this.#waiting.has(keyOf(id))) return id;
      fresh.add(keyOf(id));
    }
    for (const key of fresh) this.#waiting.add(key);
    for (const cancelled of cancelledIds(body)) this.#waiting.delete(keyOf(cancelled));
    return undefined;
  }

  /** Forgets the requests of a body that was refused, or the one that a message answers. */
  release(body: unknown): void {
    for (const message of listed(body)) {
      const id = field(message, 'id');
      if (isId(id)) this.#waiting.delete(keyOf(id));
    }
  }
}
