import { describe, expect, it, vi } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

/** A `fetch` that answers with these pieces, one by one. */
function answering(pieces: readonly string[], type: string): typeof fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
}

describe('boundedFetch', () => {
  it.each<[string, string, string[], boolean]>([
    ['an answer within the limit', 'application/json', ['x'.repeat(50), 'x'.repeat(50)], true],
    ['an answer over it', 'application/json', ['x'.repeat(50), 'x'.repeat(51)], false],
    ['events within it, more in all', 'text/event-stream; charset=utf-8', Array.from({ length: 20 }, () => `data: ${'x'.repeat(60)}\n\n`), true],
    ['events with other line ends, cut anywhere', 'text/event-stream', `data: ${'x'.repeat(60)}\r\n\r\n`.repeat(5).split(''), true],
    ['one event over it', 'text/event-stream', ['data: ok\n\n', `data: ${'x'.repeat(60)}\n`, `data: ${'x'.repeat(60)}\n\n`], false],
    ['a line without an end', 'text/event-stream', Array.from({ length: 20 }, () => 'x'.repeat(10)), false],
  ])('%s', async (_, type, pieces, fits) => {
    const response = await boundedFetch({ fetch: answering(pieces, type), limit: 100 })('http://localhost/');
    const read = await response.text().catch((error: unknown) => String(error));
    expect(read).toEqual(fits ? pieces.join('') : expect.stringContaining('too long'));
  });

  it('tells when nobody answers, and not when the caller left', async () => {
    const onGone = vi.fn<() => void>();
    const refusing = boundedFetch({ onGone });
    await expect(refusing('http://127.0.0.1:1/')).rejects.toThrow(TypeError);
    expect(onGone).toHaveBeenCalledTimes(1);
    await expect(refusing('http://127.0.0.1:1/', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(onGone).toHaveBeenCalledTimes(1);
  });
});
