import { once } from 'node:events';
import { connect, type ConnectionOptions } from 'node:tls';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EdgeBench, get, HOST, RULED, VALUE } from './fixtures/edge-bench.ts';

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
  ['with two frames', Buffer.concat([zstdCompressSync('one'), zstdCompressSync('two')]), { 'content-encoding': 'zstd' }, false, DAMAGED],
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

it.each(['gzip', 'br', 'deflate', 'zstd'])('an answer without a body that says %s is whole', async (coding) => {
  bench.respond = (_request, response) => void response.writeHead(302, { 'content-encoding': coding, 'content-length': '0', location: '/y' }).end();
  const before = bench.told.length;
  expect(await bench.send(get())).toMatch(/^HTTP\/1\.1 302 [^]*\r\n0\r\n\r\n$/u);
  await expect.poll(() => bench.told.slice(before)).toMatchObject([{ method: 'GET' }]);
  expect(bench.told.at(-1)?.failure).toBeUndefined();
});

it('an answer that is uncompressed says nothing of its compressed body any more', async () => {
  bench.respond = (_request, response) => {
    const of = { 'content-digest': 'sha-256=:a:', 'repr-digest': 'sha-256=:a:', digest: 'sha-256=a', 'content-md5': 'a' };
    response.writeHead(200, { 'content-encoding': 'gzip', ...of }).end(gzipSync('text'));
  };
  expect(await bench.send(get())).not.toMatch(/digest|md5|content-encoding/u);
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

it.each(['gzip, chunked', 'gzip', 'GZIP , chunked'])(
  'an answer with Transfer-Encoding: %s, in which a secret could not be seen, is refused',
  async (coding) => {
    bench.respond = (request, response) => {
      const body = gzipSync(`you sent ${request.headers.authorization}`);
      const sent = coding === 'gzip' ? [body] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')];
      const head = Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n`);
      response.socket?.end(Buffer.concat([head, ...sent]));
    };
    const got = Buffer.from(await bench.send(get()), 'latin1');
    expect(got.toString()).toMatch(/^HTTP\/1\.1 502 /u);
    const at = got.indexOf(Buffer.from([0x1f, 0x8b]));
    expect(at === -1 ? '' : gunzipSync(got.subarray(at)).toString()).toBe('');
  },
);

it('an answer that changes the protocol ends the request, and is noted', async () => {
  bench.respond = (_request, response) => void response.socket?.write('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
  const before = bench.told.length;
  expect(await bench.send(get())).toMatch(/^HTTP\/1\.1 502 /u);
  expect(bench.told.slice(before)).toMatchObject([{ failure: 'the server did not answer (status 101)' }]);
});

it.each(['Request-Range', 'X-Ms-Range', 'X-Amz-Range'])('a request for a part by %s is answered whole', async (name) => {
  bench.respond = (request, response) => response.end(JSON.stringify(request.headers));
  const got = await bench.send(get('/x', HOST, `${name}: bytes=0-14\r\nX-Kept: 1\r\n`));
  expect(got).toContain('x-kept');
  expect(got).not.toContain(name.toLowerCase());
});

it.each([
  ['with rules', RULED, ''],
  ['with a secret', HOST, ''],
  ['without TLS', RULED, `http://${RULED}`],
])('a GET whose Connection header names its length carries no second request to a host %s', async (_, host, base) => {
  bench.serveAgain();
  const second = 'DELETE /admin HTTP/1.1\r\nHost: evil.example.org\r\nContent-Length: 0\r\n\r\n';
  const first = `GET ${base}/repos/a HTTP/1.1\r\nHost: ${host}\r\nConnection: content-length, close\r\nContent-Length: ${second.length}\r\n\r\n${second}`;
  const before = bench.seen.length;
  await (base === '' ? bench.send(first, host) : bench.raw(first));
  expect(bench.reached(before).map((line) => line.split(' ')[0])).toEqual(['GET']);
});

it('a header that names a second path is refused where rules tell paths apart', async () => {
  bench.serveAgain();
  for (const header of ['Destination: /admin/x', 'X-Amz-Copy-Source: /private/key', 'x_amz_copy_source: /private/key'])
    expect(await bench.send(get('/repos/a', RULED, `${header}\r\n`), RULED)).toMatch(/^HTTP\/1\.1 403 /u);
  expect(await bench.send(get('/repos/a', HOST, 'Destination: /x\r\n'))).toMatch(/^HTTP\/1\.1 200 /u);
});

it('a GET with chunks to a host without rules arrives as one request', async () => {
  let body = '';
  bench.respond = (request, response) => {
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => response.end('ok'));
  };
  const address = 'other.example.com';
  const head = `GET http://${address}/x HTTP/1.1\r\nHost: ${address}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  expect((await bench.raw(`${head}5\r\nhello\r\n0\r\n\r\n`)).slice(0, 12)).toBe('HTTP/1.1 200');
  expect(body).toBe('hello');
});

describe('reports what cannot be read', () => {
  const HTTP2 = 'the program speaks only HTTP/2, as gRPC does, which is not possible to a host with a secret or with rules about requests';

  it.each<[what: string, text: string, tls: ConnectionOptions, method: string, failure: string]>([
    ['HTTP/2 in TLS', get(), { ALPNProtocols: ['h2'] }, 'TLS', HTTP2],
    ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', {}, 'HTTP', HTTP2],
    ['a long head', get('/x', HOST, `X: ${'a'.repeat(20_000)}\r\n`), {}, 'HTTP', 'the head of a request is longer than 16 kB'],
    ['another protocol', 'HELO me\r\n', {}, 'HTTP', 'what the program sent is no request of HTTP/1.1 (HPE_INVALID_METHOD)'],
  ])('%s', async (_, text, tls, method, failure) => {
    const before = bench.told.length;
    await bench.send(text, HOST, tls);
    expect(bench.told.slice(before)).toEqual([{ scheme: 'https', host: HOST, port: 443, method, path: '', failure }]);
  });

  it('a long head of an answer', async () => {
    bench.respond = (_request, response) => void response.writeHead(200, { x: 'a'.repeat(20_000) }).end();
    const before = bench.told.length;
    expect(await bench.send(get())).toMatch(/^HTTP\/1\.1 502 /u);
    expect(bench.told.slice(before)).toMatchObject([{ failure: 'the head of its answer is longer than 16 kB' }]);
  });

  it('nothing, where a program ends in the middle of a request', async () => {
    const socket = await bench.tunnel(`${HOST}:443`);
    if (socket === undefined) throw new Error('There is no tunnel.');
    const before = bench.told.length;
    const client = connect({ socket, servername: HOST, ca: bench.authority.certificate });
    client.resume().end('GET /x HTT');
    await once(client, 'close');
    expect(bench.told.slice(before)).toEqual([]);
  });
});

describe('an answer that comes before its server has read the body', () => {
  const BODY = Buffer.alloc(6_000_000, 'a');

  it.each([
    ['with a secret', HOST, '', 'keep-alive'],
    ['with a secret', HOST, '', 'close'],
    ['with rules, without TLS', RULED, `http://${RULED}`, 'close'],
    ['that is open, without TLS', 'other.example.com', 'http://other.example.com', 'keep-alive'],
    ['that is open, without TLS', 'other.example.com', 'http://other.example.com', 'close'],
  ])('arrives, and the body at a server that goes on to read, to a host %s (%s%s, Connection: %s)', async (_, host, base, connection) => {
    const secure = base === '' ? await bench.tunnel(`${host}:443`) : undefined;
    const client = secure === undefined ? bench.line() : connect({ socket: secure, servername: host, ca: bench.authority.certificate });
    let read = 0;
    bench.respond = (request, response) => {
      request.on('data', (chunk: Buffer) => (read += chunk.length));
      response.end('early');
    };
    const before = bench.told.length;
    let answer = '';
    const ended = once(client, 'end');
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    client.write(`GET ${base}/repos/x HTTP/1.1\r\nHost: ${host}\r\nConnection: ${connection}\r\nContent-Length: ${BODY.length}\r\n\r\n`);
    client.write(BODY.subarray(0, 1_000_000));
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 200 [^]*early/u);
    client.write(BODY.subarray(1_000_000));
    await expect.poll(() => read).toBe(BODY.length);
    if (connection === 'close') await ended;
    client.destroy();
    // What is sent to an open host is counted, and not told.
    const isMore = host === 'other.example.com' ? [] : [true];
    await expect.poll(() => bench.told.slice(before).map(({ sent = 0 }) => sent > BODY.length)).toEqual(isMore);
  });

  it.each([
    ['a server that ends the connection', HOST, '/x', 413],
    ['a server that ends the connection', RULED, '/repos/x', 413],
    ['a server that ends the connection', 'other.example.com', '/x', 413],
    ['no server, as no rule allows the request', RULED, '/admin', 403],
    ['no server, as no rule allows the host', 'evil.example.org', '/x', 403],
  ])('arrives, and the program can send the rest, from %s: %s%s', async (_, host, path, status) => {
    bench.respond = (request, response) => {
      response.writeHead(413, { connection: 'close' }).end('too large');
      response.once('finish', () => request.socket.destroySoon());
    };
    const client = bench.line();
    let answer = '';
    const ended = once(client, 'end');
    client.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    client.write(`GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n`);
    client.write(BODY.subarray(0, 1_000_000));
    await expect.poll(() => answer).toContain(`HTTP/1.1 ${status} `);
    await new Promise<void>((resolve, reject) =>
      client.write(BODY.subarray(1_000_000), (error) => ((error ?? undefined) === undefined ? resolve() : reject(error))),
    );
    await ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
  });
});
