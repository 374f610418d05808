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

/** Ids that are remembered besides: a client that numbers its requests needs one, and one that draws lots these. */
const MAX_REMEMBERED = 10_000;

/**
 * The ids of the requests that a client of a session has made. Each is used once: the SDK finds the stream for an answer by the
 * id alone, and a client by it the question, so of two with the same one the answers may be mistaken for each other.
 */
export class RequestIds {
  readonly #used = new Set<string>();
  /** All whole numbers from here on up to `#next` were used: a client that counts costs nothing. */
  #first = 0;
  #next = 0;

  /**
   * Notes the requests of a body.
   *
   * @returns the first id that was used before; nothing is noted then
   */
  take(body: unknown): RequestId | undefined {
    const fresh = new Map<string, RequestId>();
    for (const message of listed(body)) {
      const [id, method] = [field(message, 'id'), field(message, 'method')];
      if (typeof method !== 'string' || !isId(id)) continue;
      if (fresh.has(keyOf(id)) || this.#isUsed(id)) return id;
      fresh.set(keyOf(id), id);
    }
    for (const id of fresh.values()) this.#use(id);
    return undefined;
  }

  /** Forgets the requests of a body that was refused before it began. */
  release(body: unknown): void {
    for (const message of listed(body)) {
      const id = field(message, 'id');
      if (!isId(id)) continue;
      if (id === this.#next - 1 && this.#next > this.#first) this.#next -= 1;
      else this.#used.delete(keyOf(id));
    }
  }

  #isUsed(id: RequestId): boolean {
    return (typeof id === 'number' && id >= this.#first && id < this.#next) || this.#used.has(keyOf(id));
  }

  #use(id: RequestId): void {
    if (typeof id === 'number' && Number.isSafeInteger(id) && (id === this.#next || this.#next === this.#first)) {
      if (this.#next === this.#first) this.#first = id;
      this.#next = id + 1;
      return;
    }
    this.#used.add(keyOf(id));
    const [oldest] = this.#used;
    if (this.#used.size > MAX_REMEMBERED && oldest !== undefined) this.#used.delete(oldest);
  }
}
