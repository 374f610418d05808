import { connect as connectTls } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SecretWay } from '../../../secrets/secret.ts';
import { all, EdgeBench, get, HOST, secret, VALUE } from './fixtures/edge-bench.ts';

let bench: EdgeBench;
beforeAll(async () => {
  bench = await EdgeBench.open();
});
afterAll(async () => await bench[Symbol.asyncDispose]());

describe('a server that shows the secret of a request', () => {
  it('520 ways of an echo give nothing of the value, and as many without it give everything', async () => {
    const backward = (text: string): string => Array.from(text).toReversed().join('');
    const encodings: Record<string, readonly [(text: string) => string, (text: string) => string]> = {
      plain: [(text) => text, (text) => text],
      base64: [(text) => Buffer.from(text).toString('base64'), (text) => Buffer.from(text, 'base64').toString('latin1')],
      base64url: [(text) => Buffer.from(`x${text}`).toString('base64url'), (text) => Buffer.from(text, 'base64url').toString('latin1')],
      offset: [(text) => Buffer.from(`xy${text}`).toString('base64'), (text) => Buffer.from(text, 'base64').toString('latin1')],
      hex: [(text) => Buffer.from(text).toString('hex'), (text) => Buffer.from(text, 'hex').toString('latin1')],
      HEX: [(text) => Buffer.from(text).toString('hex').toUpperCase(), (text) => Buffer.from(text, 'hex').toString('latin1')],
      url: [encodeURIComponent, (text) => text],
      json: [JSON.stringify, (text) => text],
      page: [(text) => `<pre title="${text}">${text}</pre>`, (text) => text],
      reversed: [backward, backward],
    };
    const compressions: Record<string, (text: string) => Buffer> = {
      identity: (text) => Buffer.from(text),
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
    };
    const sizes = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 37, 64, 4096];
    let attempts = 0;
    let leaked = 0;
    let control = 0;
    for (const [encode, decode] of Object.values(encodings)) {
      for (const [coding, compress] of Object.entries(compressions)) {
        for (const size of sizes) {
          bench.respond = (request, response) => {
            const body = compress(`--${encode(request.headers.authorization ?? '')}--${encode('Bearer not-a-secret-at-all')}--`);
            response.setHeader('content-encoding', coding);
            for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
            response.end();
          };
          const socket = await bench.tunnel(`${HOST}:443`);
          if (socket === undefined) throw new Error('There is no tunnel.');
          const client = connectTls({ socket, servername: HOST, ca: bench.authority.certificate });
          const answer = await all(client, get());
          const body = answer
            .slice(answer.indexOf('\r\n\r\n') + 4)
            .replaceAll(/\r\n[\da-f]+\r\n/giu, '')
            .replaceAll(/^[\da-f]+\r\n/giu, '');
          const parts = body.split('--').map(decode);
          attempts += 1;
          for (let at = 4; at + 6 <= VALUE.length; at += 1) if (parts.some((part) => part.includes(VALUE.slice(at, at + 6)))) leaked += 1;
          if (parts.some((part) => decodeURIComponent(part.replaceAll('%', '%25')).includes('not-a-secret'))) control += 1;
        }
      }
    }
    bench.serveAgain();
    expect([attempts, leaked]).toEqual([520, 0]);
    expect(control).toBeGreaterThan(500);
  }, 120_000);

  it.each<readonly [SecretWay, value: string, alone: string]>([
    [{ kind: 'basic' }, 'me:correct-horse-battery', 'correct-horse-battery'],
    [{ kind: 'header', name: 'authorization' }, 'Token 0123456789abcdef', '0123456789abcdef'],
  ])('shows as little of the part that is a secret alone, as %j', async (as, value, alone) => {
    const before = bench.secrets;
    bench.secrets = async () => [{ ...secret, value, places: secret.places.map((place) => ({ ...place, as })) }];
    bench.respond = (_, response) => void response.setHeader('x-alone', alone).end(JSON.stringify([alone, Buffer.from(alone).toString('base64')]));
    const answer = await bench.send(get());
    bench.serveAgain();
    bench.secrets = before;
    expect(answer).toContain(`x-alone: ${'*'.repeat(alone.length)}\r\n`);
    expect(answer).toMatch(/\["\*+","\*+=*"\]/u);
  });

  it('an echo in unusual notations gives nothing of the value, and as much without it gives everything', async () => {
    const each = (text: string, write: (hex: string, code: number) => string): string =>
      [...Buffer.from(text)].map((code) => write(code.toString(16).padStart(2, '0'), code)).join('');
    const base64 = (bytes: Buffer | string): string => Buffer.from(bytes as string).toString('base64');
    const notations: ReadonlyArray<(text: string) => string | Buffer> = [
      (text) => Buffer.from(text, 'utf16le'),
      (text) => Buffer.from(text, 'utf16le').swap16(),
      (text) => each(text, (hex) => `%${hex}`),
      (text) => each(text, (hex) => `%25${hex}`),
      (text) => each(text, (hex) => String.raw`\u00${hex}`),
      (text) => each(text, (hex) => String.raw`\x${hex}`),
      (text) => each(text, (_, code) => `&#${code};`),
      (text) => each(text, (hex) => `&#x0${hex};`),
      (text) => each(text, (hex) => `=${hex.toUpperCase()}`),
      (text) => each(text, (_, code) => `\\${code.toString(8)}`),
      (text) => each(text, (hex) => `${hex}:`),
      (text) => each(text, (hex) => `0x${hex}, `),
      (text) => JSON.stringify(Buffer.from(text)),
      (text) => base64(text).replaceAll(/.{12}/gu, '$&\r\n'),
      (text) => base64(base64(text)),
      (text) => base64(Buffer.from(text, 'utf16le')),
      (text) => text.toUpperCase(),
    ];
    for (const write of notations) {
      for (const size of [50, 4_096]) {
        bench.respond = (request, response) => {
          const body = Buffer.from(write(request.headers.authorization ?? '') as string);
          for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
          response.end(Buffer.from(write('Bearer not-a-secret-at-all') as string));
        };
        // In one stream, as a program sees it: chunks are joined.
        const answer = (await bench.send(get()))
          .slice(4)
          .replace(/^[^]*?\r\n\r\n/u, '')
          .replaceAll(/(^|\r\n)[\da-f]+\r\n/giu, '');
        const masks = answer.match(/\*+/gu)?.join('').length ?? 0;
        expect(masks, `${write('ab').toString()} by ${size}`).toBeGreaterThanOrEqual(VALUE.length);
        expect(
          answer.includes(write('not-a-secret').toString('latin1').slice(-12, -4)) ||
            answer.includes(write('Bearer not-a-secret-at-all').toString('latin1')),
        ).toBe(true);
      }
    }
    bench.serveAgain();
  }, 60_000);
});
