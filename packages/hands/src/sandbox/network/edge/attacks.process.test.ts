import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { all, EdgeBench, get, HOST, RULED, VALUE } from './fixtures/edge-bench.ts';

let bench: EdgeBench;
beforeAll(async () => {
  bench = await EdgeBench.open();
});
afterAll(async () => await bench[Symbol.asyncDispose]());

describe('attacks on the end of TLS', () => {
  it('the control: an ordinary request reaches its server, with the secret', async () => {
    const before = bench.seen.length;
    expect(await bench.send(get())).toMatch(/^HTTP\/1\.1 200 [^]*served/u);
    expect(bench.reached(before)).toHaveLength(1);
    expect(bench.reached(before)[0]).toContain(`Bearer ${VALUE}`);
    expect(await bench.send(get('/x', HOST.toUpperCase()))).toMatch(/^HTTP\/1\.1 200 /u);
    expect(await bench.send(get('/x', `${HOST}:443`))).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it.each<readonly [string, string]>([
    ['a relayed CONNECT', `CONNECT evil.example.com:443 HTTP/1.1\r\nHost: evil.example.com:443\r\n\r\n`],
    ['a relayed CONNECT to the same host', `CONNECT ${HOST}:443 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
    ['the Host of another', get('/x', 'other.example.com')],
    ['the Host of another port', get('/x', `${HOST}:8443`)],
    ['a Host with a trailing dot', get('/x', `${HOST}.`)],
    ['two Hosts', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nHost: evil.example.com\r\n\r\n`],
    ['no Host', 'GET /x HTTP/1.1\r\n\r\n'],
    ['HTTP/1.0 without a Host', 'GET /x HTTP/1.0\r\n\r\n'],
    ['an absolute address of another', get('http://evil.example.com/x')],
    ['an absolute address with its own Host', get('https://evil.example.com/x', HOST)],
    ['a WebSocket', get('/x', HOST, 'Upgrade: websocket\r\nSec-WebSocket-Key: x\r\n').replace('Connection: close', 'Connection: Upgrade')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two lengths', `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    [
      'a length and chunks',
      `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
    ],
    ['chunks under a hidden name', `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['chunks that are no chunks', `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a signed length', `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: +5\r\n\r\nhello`],
    ['a folded header', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nX: a\r\n evil: b\r\n\r\n`.replace('X: a', 'Content-Length\r\n : 5')],
    ['a zero byte in a header', `GET /x HTTP/1.1\r\nHost: ${HOST}\r\nX: a\0b\r\n\r\n`],
    ['a head of 64 kB', get('/x', HOST, `X: ${'a'.repeat(64_000)}\r\n`)],
  ])('%s is refused', async (_, text) => {
    const before = bench.seen.length;
    expect(await bench.send(text)).not.toMatch(/^HTTP\/1\.1 [23]/u);
    expect(bench.reached(before)).toEqual([]);
  });

  it.each<readonly [string, string]>([
    [
      'a second request in a body',
      `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 44\r\nConnection: close\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: evil.io\r\n\r\n\r\n`,
    ],
    [
      'a second request in a chunk',
      `POST /x HTTP/1.1\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n18\r\nGET /smuggled HTTP/1.1\r\n\r\n0\r\n\r\n`,
    ],
    ['an upgrade to HTTP/2', get('/x', HOST, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n')],
  ])('%s reaches the server as one plain request', async (_, text) => {
    const before = bench.seen.length;
    await bench.send(text);
    expect(bench.reached(before)).toHaveLength(1);
    expect(bench.reached(before)[0]).not.toMatch(/smuggled|h2c|http2-settings/u);
  });

  it.each(['evil.example.com', 'other.example.com', `${HOST}.`, 'api.example.com.evil.io', ''])(
    'the name %j in TLS is refused for another host',
    async (servername) => {
      const before = bench.seen.length;
      const answer = await bench.send(get(), HOST, { servername, checkServerIdentity: () => undefined, rejectUnauthorized: false });
      if (servername !== '') expect(answer).toBe('');
      expect(bench.reached(before).filter((line) => !line.includes(` ${HOST}/`))).toEqual([]);
    },
  );

  // Some versions of Node leave further headers out, also those that tell where a body ends.
  it.each([
    ['Content-Length', 'length', ''],
    ['Transfer-Encoding', 'chunks', ''],
    ['Content-Length', 'length, without TLS', `http://${RULED}`],
    ['Transfer-Encoding', 'chunks, without TLS', `http://${RULED}`],
  ])('a %s behind 1,000 headers hides no second request (%s)', async (name, _, base) => {
    const second = `DELETE /admin HTTP/1.1\r\nHost: ${RULED}\r\n\r\n`;
    const length = name === 'Content-Length';
    const more = `${'a:\r\n'.repeat(1_005)}${name}: ${length ? second.length : 'chunked'}\r\n`;
    const body = length ? second : `${second.length.toString(16)}\r\n${second}\r\n0\r\n\r\n`;
    const before = bench.seen.length;
    const text = get(`${base}/repos/a`, RULED, more) + body;
    await (base === '' ? bench.send(text, RULED) : bench.raw(text));
    expect(bench.reached(before).filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  it('HTTP/2 alone is not spoken', async () => {
    expect(await bench.send(get(), HOST, { ALPNProtocols: ['h2'] })).toBe('');
    expect(await bench.send(get(), HOST, { ALPNProtocols: ['h2', 'http/1.1'] })).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it.each([
    'inner.example.com:443',
    'mixed.example.com:443',
    'metadata.example.com:443',
    `${HOST}:8443`,
    `${HOST}:22`,
    `${HOST}.:443`,
    `x@${HOST}:443`,
    `${HOST}:443@evil.io:443`,
    'аpi.example.com:443',
    'xn--pi-7kc.example.com:443',
    'API.EXAMPLE.COM\u3002:443',
    '[::1]:443',
    '[::ffff:93.184.216.34]:443',
    '[::ffff:127.0.0.1]:443',
    '93.184.216.34:443',
    '127.0.0.1:443',
    '2130706433:443',
    'localhost:443',
    `${HOST}%00.evil.io:443`,
  ])('CONNECT %s is refused', async (target) => {
    const before = bench.seen.length;
    expect(await bench.tunnel(target)).toBeUndefined();
    expect(bench.reached(before)).toEqual([]);
  });

  it('a tunnel of plain HTTP to the port of HTTPS gets no secret', async () => {
    const socket = await bench.tunnel(`${HOST}:443`);
    if (socket === undefined) throw new Error('There is no tunnel.');
    const before = bench.seen.length;
    await all(socket, get('/x', `${HOST}:443`));
    expect(bench.reached(before).join()).not.toContain(VALUE);
  });

  it('a redirect is returned, and the next host gets nothing', async () => {
    bench.respond = (_, response) => void response.writeHead(302, { location: 'https://other.example.com/next' }).end();
    expect(await bench.send(get())).toMatch(/^HTTP\/1\.1 302 [^]*location: https:\/\/other\.example\.com\/next/iu);
    bench.serveAgain();
    const before = bench.seen.length;
    const socket = await bench.tunnel('other.example.com:443');
    if (socket === undefined) throw new Error('There is no tunnel.');
    // Not ended here: the certificate is that of the server.
    await all(connectTls({ socket, servername: 'other.example.com', ca: bench.servers.certificate }), get('/next', 'other.example.com'));
    expect(bench.reached(before)).toHaveLength(1);
    expect(bench.reached(before).join()).not.toContain(VALUE);
  });

  describe('rules about requests', () => {
    it('the control: what the rule covers is let through', async () => {
      for (const path of ['/repos/a?b=1', '/repos/a?method=get&method=flickr.photos.delete'])
        expect(await bench.send(get(path, RULED), RULED)).toMatch(/^HTTP\/1\.1 200 /u);
    });

    it.each<readonly [string, string]>([
      ['another path', get('/admin', RULED)],
      ['another method', get('/repos/a', RULED).replace('GET', 'POST')],
      ['a method in lower case', get('/repos/a', RULED).replace('GET', 'get')],
      ['a path upward', get('/repos/../admin', RULED)],
      ['an encoded path upward', get('/repos/%2e%2e/admin', RULED)],
      ['a path encoded twice', get('/repos/%252e%252e/admin', RULED)],
      ['an encoded slash', get('/repos/..%2fadmin', RULED)],
      ['two slashes', get('//repos/../admin', RULED)],
      ['a fragment', get('/repos/a#/../../admin', RULED)],
      ['dots of another width', get('/repos/%EF%BC%8E%EF%BC%8E/admin', RULED)],
      ['a backslash', get('/repos\\..\\admin', RULED)],
      ['a parameter of a segment', get('/repos/..;/admin', RULED)],
      ['the Host of another', get('/repos/a', HOST)],
      ['all of it', `OPTIONS * HTTP/1.1\r\nHost: ${RULED}\r\n\r\n`],
    ])('%s is refused', async (_, text) => {
      const before = bench.seen.length;
      expect(await bench.send(text, RULED)).not.toMatch(/^HTTP\/1\.1 [23]/u);
      expect(bench.reached(before)).toEqual([]);
    });

    it.each([
      'X-HTTP-Method-Override: DELETE',
      'X-HTTP-Verb: DELETE',
      'X-MS-Original-URL: /admin',
      'X-Envoy-Original-Path: /admin',
      'X-HTTP-Method: DELETE',
      'X-Method-Override: DELETE',
      'X_HTTP_Method_Override: DELETE',
      'X.HTTP.Method~Override: DELETE',
      'X-Original-URL: /admin',
      'X-Rewrite-URL: /admin',
      'X-Forwarded-Uri: /admin',
      'X-Forwarded-Prefix: /admin',
      'X-Forwarded-Host: admin.example.com',
      'X-Host: admin.example.com',
      'Forwarded: host=admin.example.com',
    ])('a header changes neither method, path nor host: %s', async (header) => {
      const before = bench.seen.length;
      await bench.send(get('/repos/a', RULED, `${header}\r\nX-Other: stays\r\n`), RULED);
      expect(bench.reached(before)).toHaveLength(1);
      expect(bench.reached(before).join()).toContain('stays');
      expect(bench.reached(before).join()).not.toMatch(/DELETE|admin/u);
      // The control: to a host without such rules it goes as it is.
      await bench.send(get('/repos/a', HOST, `${header}\r\n`));
      expect(bench.seen.at(-1)).toMatch(/DELETE|admin/u);
    });

    it.each([
      '/repos/a?_method=DELETE',
      '/repos/a?b=1&%5Fmethod=DELETE',
      '/repos/a?_HttpMethod=PATCH',
      '/repos/a?x-http-method-override=DELETE',
      // As PHP reads names.
      '/repos/a?.method=DELETE',
      '/repos/a?%20_method=DELETE',
      '/repos/a?+_method=DELETE',
      '/repos/a?[method=DELETE',
      '/repos/a?_method[]=DELETE',
      '/repos/a?b;_method=DELETE',
      '/repos/a?_method%00=DELETE',
      '/repos/a?method=delete',
      '/repos/a?b=1&$httpMethod=DELETE&c',
      '/repos/a?method_override=PUT',
    ])('a parameter does not change the method: %s', async (path) => {
      const before = bench.seen.length;
      expect(await bench.send(get(path, RULED), RULED)).toMatch(/^HTTP\/1\.1 403 /u);
      expect(bench.reached(before)).toEqual([]);
      await bench.send(get(path));
      expect(bench.reached(before)).toHaveLength(1);
    });

    it('hold without TLS, and tell what would allow a request', async () => {
      const before = bench.seen.length;
      expect(await bench.raw(`GET http://${RULED}/admin/x?token=1 HTTP/1.1\r\nHost: ${RULED}\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 403 /u,
      );
      expect(bench.told.at(-1)?.refusal).toEqual({ allowedBy: `${RULED} GET /admin/x` });
      expect(bench.reached(before)).toEqual([]);
      expect(await bench.raw(`GET http://${RULED}/repos/x HTTP/1.1\r\nHost: ${RULED}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /u);
    });
  });
});
