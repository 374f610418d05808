import { PassThrough, Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { lineTransport } from './line-transport.ts';

it('writes large answers whole, however late they are taken, and whatever their size', async () => {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      // Looked at only when the next ones are written already: memory that was used again would show.
      waiting.push(() => {
        taken.push(chunk.toString());
        done();
      });
    },
  });
  const transport = lineTransport(new PassThrough(), slow);
  const texts = ['a'.repeat(200_000), 'ä€😀\n'.repeat(50_000), 'b'.repeat(3_000_000), 'c', 'd'.repeat(150_000), 'ü'.repeat(2_500_000)];
  // As the content of an answer they go in pieces, elsewhere in one.
  const messages = texts
    .flatMap((text) => [{ text }, { content: [{ type: 'text', text }] }])
    .map((result) => ({ jsonrpc: '2.0', id: 1, result }) as const);
  for (const [index, message] of messages.entries()) {
    await transport.send(message);
    // One is taken for every two that are sent, so that memory is given back in between.
    if (index % 2 === 1) waiting.shift()?.();
  }
  while (waiting.length > 0) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const lines = taken.join('').split('\n');
  expect(messages.map((message, index) => isDeepStrictEqual(JSON.parse(lines[index] ?? ''), message))).toEqual(messages.map(() => true));
  expect(lines.slice(messages.length)).toEqual(['']);
});
