import { hash } from 'node:crypto';
import { Agent, createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { createGunzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unseen, type Unseen } from '../../../secrets/scrubber.ts';
import { decodersOf } from './clean-answer.ts';
import { sendBody } from './send-body.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';
const MASK = '*'.repeat(VALUE.length);
const what = unseen([VALUE]);

/** Gets an answer whose body is what the source gives. */
async function answered(source: readonly [Readable, ...Duplex[]], without: Unseen | 'nothing' = what): Promise<IncomingMessage> {
  const server = createServer((_, response) => void sendBody(source, response, without === 'nothing' ? undefined : without)).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, resolve)
    .once('error', reject)
    .end();
  return await promise;
}

/** Chunks with memory of their own, as sockets give them. */
function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(Uint8Array.from(bytes.subarray(at, at + size)).buffer);
}

describe('a body', () => {
  // A secret spans each border of what is sent at once, for some of the sizes.
  const text = Array.from({ length: 40_000 }, (_, index) => `${index} ${VALUE}\n`).join('');

  it.each([16_384, 65_521, 300_007, 3_000_000])('of %i bytes per chunk arrives whole, without secrets', async (size) => {
    const got = await buffer(await answered([Readable.from(cut(Buffer.from(text), size))]));
    expect(got.toString() === text.replaceAll(VALUE, MASK)).toBe(true);
  });

  it('of a server arrives whole where the program reads slowly, and the connection to the server serves the next request', async () => {
    const long = text.repeat(8);
    let connections = 0;
    const listening = async (server: Server): Promise<number> => {
      server.listen(0, '127.0.0.1');
      await new Promise((resolve) => void server.once('listening', resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    };
    const origin = await listening(createServer((_, response) => response.end(long)).on('connection', () => (connections += 1)));
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const proxy = createServer((_, response) => {
      request({ port: origin, host: '127.0.0.1', agent }, (answer) => void sendBody([answer], response, what)).end();
    });
    const port = await listening(proxy);
    for (let count = 0; count < 2; count += 1) {
      const chunks: Buffer[] = [];
      const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
      request({ port, host: '127.0.0.1' }, resolve).end();
      for await (const chunk of (await promise) as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        await turn();
      }
      expect(Buffer.concat(chunks).toString() === long.replaceAll(VALUE, MASK)).toBe(true);
    }
    expect(connections).toBe(1);
  });

  it('arrives as it is from a host that never got a secret', async () => {
    const got = await buffer(await answered([Readable.from(cut(Buffer.from(text), 16_384))], 'nothing'));
    expect(got.toString() === text).toBe(true);
  });

  it.each([
    ['a little of a secret at its end is not lost', VALUE.slice(0, 8), VALUE.slice(0, 8)],
    ['more of one is not shown', VALUE.slice(0, 30), '*'.repeat(30)],
  ])('is decoded, and %s', async (_, end, shown) => {
    const got = await buffer(await answered([Readable.from(cut(gzipSync(`${text}${end}`), 1_000)), createGunzip()]));
    expect(got.toString() === `${text.replaceAll(VALUE, MASK)}${shown}`).toBe(true);
  });

  it.each([
    ['zlib', deflateSync(text)],
    ['raw', deflateRawSync(text)],
    ['raw and stored', deflateRawSync(text, { level: 0 })],
    ['empty', Buffer.alloc(0)],
  ])('is decoded from deflate: %s', async (_, bytes) => {
    for (const size of [1, 1_000]) {
      const source = Readable.from(cut(size === 1 ? bytes.subarray(0, 3_000) : bytes, size));
      const got = answered([source, ...(decodersOf('deflate') ?? [])]).then(buffer);
      if (size === 1 && bytes.length > 3_000) await expect(got).rejects.toThrow(/aborted|hang up/u);
      else expect((await got).toString() === (bytes.length === 0 ? '' : text.replaceAll(VALUE, MASK))).toBe(true);
    }
  });

  it('arrives also if a secret may begin far before what is sent at once', async () => {
    const long = Array.from({ length: 128 }, (_, at) => hash('sha256', `${at}`, 'hex').slice(0, 60)).join('');
    // In hexadecimal, with spaces between the bytes.
    const spread = Array.from(Buffer.from(long.slice(0, -1)), (code) => code.toString(16) + ' '.repeat(20)).join('');
    const bytes = Buffer.from(`${spread}.${spread}${Buffer.from(long.slice(-1)).toString('hex')}.`);
    const got = await buffer(await answered([Readable.from(cut(bytes, 50_000))], unseen([long])));
    expect(got).toHaveLength(bytes.length);
    expect(got.toString()).toBe(`${spread}.${'*'.repeat(spread.length + 2)}.`);
  });

  it('that breaks off breaks the connection off, also while it is decoded', async () => {
    const broken = (): Readable =>
      Readable.from(
        (function* () {
          yield Buffer.from('begin');
          throw new Error('broken off');
        })(),
      );
    for (const source of [[broken()], [Readable.from([Buffer.from('no gzip')]), createGunzip()]] as const)
      await expect(answered(source).then(buffer)).rejects.toThrow(/aborted|hang up/u);
  });

  it('that goes on later comes whole until then, without secrets', async () => {
    const going = new Readable({ read() {} });
    const answer = await answered([going]);
    let got = '';
    const seen = async (text: string): Promise<void> => {
      while (!got.endsWith(text)) got += String(await new Promise((resolve) => void answer.once('data', resolve)));
    };
    going.push('data: looking\n\n');
    await seen('looking\n\n');
    going.push(`data: ${VALUE}, going\n\n`);
    await seen('going\n\n');
    going.push(null);
    await new Promise((resolve) => void answer.once('end', resolve));
    expect(got).toBe(`data: looking\n\ndata: ${MASK}, going\n\n`);
  });

  it('that waits shows its head, and ends with the connection of the program', async () => {
    const waiting = new Readable({ read() {} });
    const answer = await answered([waiting]);
    expect(answer.statusCode).toBe(200);
    answer.destroy();
    await new Promise((resolve) => void waiting.once('close', resolve));
    expect(waiting.destroyed).toBe(true);
  });
});
