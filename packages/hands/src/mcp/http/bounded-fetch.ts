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

/** A `fetch` whose answers can only be so long. */
export function boundedFetch(fetchAny: Fetch = fetch, limit = MAX_MESSAGE_BYTES): Fetch {
  return async (url, init) => {
    const response = await fetchAny(url, init);
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
