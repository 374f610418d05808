import { once } from 'node:events';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EdgeBench, get, HOST, VALUE } from './fixtures/edge-bench.ts';

let bench: EdgeBench;
beforeAll(async () => {
  bench = await EdgeBench.open();
});
afterAll(async () => await bench[Symbol.asyncDispose]());

const long = gzipSync(Array.from({ length: 5_000 }, (_, index) => `${index * 7_919} ${VALUE}`).join('\n'));
const DAMAGED = 'the answer is damaged: it could not be uncompressed';

it.each<[what: string, body: Buffer, headers: Readonly<Record<string, string>>, isBroken: boolean, failure: string | undefined]>([
  ['that is whole', long, { 'content-encoding': 'gzip' }, false, undefined],
  ['with other bytes in it', Buffer.from(long).fill(7, 3_000, 3_500), { 'content-encoding': 'gzip' }, false, DAMAGED],
  ['that ends too early', long.subarray(0, 3_000), { 'content-encoding': 'gzip' }, false, DAMAGED],
  ['that is not compressed as it says', Buffer.from('no gzip'), { 'content-encoding': 'gzip' }, false, DAMAGED],
  ['that its server breaks off', long.subarray(0, 3_000), { 'content-encoding': 'gzip' }, true, 'the server broke off its answer'],
  ['that its server breaks off, as it is', Buffer.from('begin'), { 'content-length': '900' }, true, 'the server broke off its answer'],
])('an answer %s: why it is not whole is noted, and no secret is shown', async (_, body, headers, isBroken, failure) => {
  bench.respond = (_request, response) => {
    response.writeHead(200, headers);
    if (isBroken) response.write(body, () => setImmediate(() => response.destroy()));
    else response.end(body);
  };
  const before = bench.told.length;
  const got = await bench.send(get());
  await expect.poll(() => bench.told.slice(before).map((told) => told.failure)).toEqual([failure]);
  expect(got).toMatch(/^HTTP\/1\.1 200 OK/u);
  expect(got).not.toContain(VALUE);
});

it('headers that come several times stay apart', async () => {
  bench.respond = (_request, response) => {
    response
      .setHeader('www-authenticate', ['Basic realm="a"', `Bearer error="${VALUE}"`])
      .setHeader('x-once', 'a, b')
      .end('ok');
  };
  const lines = (await bench.send(get())).split('\r\n').filter((line) => /^(?:www|x-once)/iu.test(line));
  expect(lines).toEqual(['www-authenticate: Basic realm="a"', `www-authenticate: Bearer error="${'*'.repeat(VALUE.length)}"`, 'x-once: a, b']);
});

it('a program that has seen enough of an answer is no failure of it', async () => {
  bench.respond = (_request, response) => {
    const more = (): void => void response.write('x'.repeat(60_000), (error) => (error ?? undefined) === undefined && setImmediate(more));
    more();
  };
  const before = bench.told.length;
  const socket = await bench.tunnel(`${HOST}:443`);
  if (socket === undefined) throw new Error('There is no tunnel.');
  const client = connect({ socket, servername: HOST, ca: bench.authority.certificate });
  client.write(get());
  await once(client, 'data');
  client.destroy();
  await expect.poll(() => bench.told.slice(before)).toMatchObject([{ method: 'GET', sent: expect.any(Number) as number }]);
  expect(bench.told.at(-1)?.failure).toBeUndefined();
});
