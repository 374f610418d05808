import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { signAgain } from './sign-again.ts';

const id = 'AKIAIOSFODNN7EXAMPLE';
const place = { scheme: 'https', host: 'api.example.com', port: 443, as: { kind: 'aws', id } } as const;
const secret = { place, used: { value: 'of a person', placeholder: 'of the command' } };
const authorization = `AWS4-HMAC-SHA256 Credential=${id}/20150830/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
const sent = { method: 'PUT', path: '/', headers: { host: 'api.example.com', authorization } };
const CHUNK = Buffer.alloc(64 * 1024);

/** Signs a request with a body, of which only a part may be sent. Returns how much was asked for, and what came of it. */
async function sign(bytes: number, may: number) {
  const request = new IncomingMessage(new Socket());
  let taken = 0;
  const signed = signAgain(request, sent, [secret], (more) => (taken += more) <= may);
  for (let at = 0; at < bytes; at += CHUNK.length) request.push(CHUNK);
  request.push(null);
  return { signed: await signed, taken, rest: request.readableLength };
}

it.each([
  ['more than may be sent', 8 * CHUNK.length, 3 * CHUNK.length, 4 * CHUNK.length],
  ['more than is signed', 260 * CHUNK.length, Infinity, 256 * CHUNK.length],
])('a body with %s is not kept: 100 requests at once would take the memory', async (_, bytes, may, taken) => {
  expect(await sign(bytes, may)).toEqual({ signed: { failure: 'its body is too large to be signed again (16 MB)' }, taken, rest: 0 });
});
