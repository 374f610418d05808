import { MAX_MESSAGE_BYTES } from '../stdio/stdio-transport.ts';

/** A `fetch` as the SDK takes one. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Ends a stream once more bytes come in a row than a message may have: in an event stream an empty line begins a new one. */
export function messageLimit(events: boolean, limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let atLineStart = true;
  return new TransformStream({
    transform(chunk, controller) {
      if (bytes + chunk.length <= limit && !events) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          bytes += 1;
          if (events && atLineStart && (byte === NEWLINE || byte === RETURN)) bytes = 0;
          atLineStart = byte === NEWLINE || (atLineStart && byte === RETURN);
          if (bytes > limit) return controller.error(new Error('The server sent a message that is too long.'));
        }
      }
      controller.enqueue(chunk);
    },
  });
}

/** What a bounded `fetch` may be told. */
export interface BoundedFetchOptions {
  readonly fetch?: Fetch;
  /** Bytes of one message. */
  readonly limit?: number;
  /** Hears that nobody answered at all. */
  readonly onGone?: () => void;
}

/** A `fetch` whose answers can only be so long. */
export function boundedFetch({ fetch: fetchAny = fetch, limit = MAX_MESSAGE_BYTES, onGone }: BoundedFetchOptions = {}): Fetch {
  return async (url, init) => {
    let response: Response;
    try {
      response = await fetchAny(url, init);
    } catch (error) {
      if (init?.signal?.aborted !== true) onGone?.();
      throw error;
    }
    // A redirect that is not followed has no status that a new answer could be given.
    if (response.body === null || response.status < 200) return response;
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(messageLimit(events, limit)), { status, statusText, headers });
    // Where an answer came from is how the SDK notices a redirect.
    Object.defineProperties(bounded, { url: { value: response.url }, redirected: { value: response.redirected }, type: { value: response.type } });
    return bounded;
  };
}
