import { MAX_MESSAGE_BYTES } from '../stdio/stdio-transport.ts';

/** A `fetch` function for the SDK. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Ends a stream if a message exceeds the limit in bytes; in an event stream, an empty line starts a new message. */
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

/** Options of a bounded `fetch`. */
export interface BoundedFetchOptions {
  readonly fetch?: Fetch;
  /** Maximum size of a message in bytes. */
  readonly limit?: number;
  /** Called if there was no response at all. */
  readonly onGone?: () => void;
}

/** Wraps `fetch` so that responses have a maximum size. */
export function boundedFetch({ fetch: fetchAny = fetch, limit = MAX_MESSAGE_BYTES, onGone }: BoundedFetchOptions = {}): Fetch {
  return async (url, init) => {
    let response: Response;
    try {
      response = await fetchAny(url, init);
    } catch (error) {
      if (init?.signal?.aborted !== true) onGone?.();
      throw error;
    }
    // An unfollowed redirect may have a status that a new Response does not accept.
    if (response.body === null || response.status < 200) return response;
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(messageLimit(events, limit)), { status, statusText, headers });
    // The SDK detects redirects by the URL of the response.
    Object.defineProperties(bounded, { url: { value: response.url }, redirected: { value: response.redirected }, type: { value: response.type } });
    return bounded;
  };
}
