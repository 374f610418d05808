import { mkdtempSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createSecureContext, type ConnectionOptions } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secret } from '../../../secrets/secret.ts';
import type { AnsweredRequest } from '../asked-request.ts';
import { FilteringProxy } from '../filtering-proxy.ts';
import { CommandAuthority } from './authority.ts';
import { CommandEdge } from './command-edge.ts';
import { EndedHosts } from './ended-hosts.ts';
import { hostOf, parseOpened } from './request-rule.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';
const HOST = 'api.example.com';
const RULED = 'ruled.example.com';

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'inner.example.com': ['127.0.0.1'],
  'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
};
const OPEN = [HOST, 'other.example.com', ...Object.keys(ADDRESSES), `${RULED} GET /repos/**`];

const secret: Secret = {
  name: 'TOKEN',
  also: [],
  texts: {},
  places: [HOST, ...Object.keys(ADDRESSES)].map((host) => ({ scheme: 'https', host, port: 443, as: { kind: 'bearer' } })),
  value: VALUE,
  added: '',
};

describe('attacks on the end of TLS', () => {
  const servers = new CommandAuthority();
  const authority = new CommandAuthority();
  const seen: string[] = [];
  const told: AnsweredRequest[] = [];
  let respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => void response.end('served');
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.headers.host}${request.url} ${JSON.stringify(request.headers)}`);
    respond(request, response);
  };
  const secure = createHttpsServer({ SNICallback: (name, done) => done(null, servers.contextFor(name)) }, take);
  const plain = createHttpServer(take);
  const portOf = (server: typeof plain | typeof secure): number => (server.address() as AddressInfo).port;
  let folder: string;
  let proxy: FilteringProxy;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'synapse-edge-'));
    await Promise.all([secure, plain].map((server) => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))));
    const opened = OPEN.map(parseOpened);
    const edge = CommandEdge.open(
      { hosts: opened.filter((one) => typeof one === 'string'), rules: opened.filter((one) => typeof one !== 'string') },
      { exist: () => true, secrets: () => [secret], opensLocal: () => false, denied: () => [] },
    );
    if (edge === undefined) throw new Error('There is nothing to end.');
    proxy = await FilteringProxy.listen(join(folder, 's'), {
      domains: opened.map(hostOf),
      named: OPEN.map((one) => hostOf(parseOpened(one))),
      resolve: async (host) => ADDRESSES[host] ?? ['93.184.216.34'],
      dial: (_, port) => connect(portOf(port === 443 ? secure : plain), '127.0.0.1'),
      ended: (parts) =>
        new EndedHosts({
          ...parts,
          edge,
          authority,
          verifying: () => createSecureContext({ ca: servers.certificate }),
          onRequest: (one) => told.push(one),
        }),
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    for (const server of [secure, plain]) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Writes to a connection, and gives all that comes until its end. */
  async function all(socket: Socket, text: string): Promise<string> {
    const chunks: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', () => resolve())
      .on('close', () => resolve());
    socket.write(text);
    // What the server does not end is ended here, once it is silent.
    socket.setTimeout(700, () => socket.destroy());
    await promise;
    return Buffer.concat(chunks).toString('latin1');
  }

  const raw = async (text: string): Promise<string> => await all(connect(join(folder, 's')), text);

  /** Opens a tunnel; undefined if it is refused. */
  async function tunnel(target: string): Promise<Socket | undefined> {
    const socket = connect(join(folder, 's'));
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [answer] = await new Promise<[string]>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve([chunk.toString()]));
      socket.once('close', () => resolve(['closed']));
    });
    if (answer.startsWith('HTTP/1.1 200')) return socket;
    socket.destroy();
    return undefined;
  }

  /** Sends bytes through TLS, as a program in the sandbox does. */
  async function send(text: string, host = HOST, tls: ConnectionOptions = {}): Promise<string> {
    const socket = await tunnel(`${host}:443`);
    if (socket === undefined) return 'no tunnel';
    const client = connectTls({ socket, servername: host, ca: authority.certificate, ...tls });
    return await all(client, text);
  }

  const get = (path = '/x', host = HOST, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
  const reached = (since: number): string[] => seen.slice(since);

  it('the control: an ordinary request reaches its server, with the secret', async () => {
    const before = seen.length;
    expect(await send(get())).toMatch(/^HTTP\/1\.1 200 [^]*served/u);
    expect(reached(before)).toHaveLength(1);
    expect(reached(before)[0]).toContain(`Bearer ${VALUE}`);
    expect(await send(get('/x', HOST.toUpperCase()))).toMatch(/^HTTP\/1\.1 200 /u);
    expect(await send(get('/x', `${HOST}:443`))).toMatch(/^HTTP\/1\.1 200 /u);
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
    const before = seen.length;
    expect(await send(text)).not.toMatch(/^HTTP\/1\.1 [23]/u);
    expect(reached(before)).toEqual([]);
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
    const before = seen.length;
    await send(text);
    expect(reached(before)).toHaveLength(1);
    expect(reached(before)[0]).not.toMatch(/smuggled|h2c|http2-settings/u);
  });

  it.each(['evil.example.com', 'other.example.com', `${HOST}.`, 'api.example.com.evil.io', ''])(
    'the name %j in TLS is refused for another host',
    async (servername) => {
      const before = seen.length;
      const answer = await send(get(), HOST, { servername, checkServerIdentity: () => undefined, rejectUnauthorized: false });
      if (servername !== '') expect(answer).toBe('');
      expect(reached(before).filter((line) => !line.includes(` ${HOST}/`))).toEqual([]);
    },
  );

  it('HTTP/2 alone is not spoken', async () => {
    expect(await send(get(), HOST, { ALPNProtocols: ['h2'] })).toBe('');
    expect(await send(get(), HOST, { ALPNProtocols: ['h2', 'http/1.1'] })).toMatch(/^HTTP\/1\.1 200 /u);
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
    const before = seen.length;
    expect(await tunnel(target)).toBeUndefined();
    expect(reached(before)).toEqual([]);
  });

  it('a tunnel of plain HTTP to the port of HTTPS gets no secret', async () => {
    const socket = await tunnel(`${HOST}:443`);
    if (socket === undefined) throw new Error('There is no tunnel.');
    const before = seen.length;
    await all(socket, get('/x', `${HOST}:443`));
    expect(reached(before).join()).not.toContain(VALUE);
  });

  it('a redirect is returned, and the next host gets nothing', async () => {
    respond = (_, response) => void response.writeHead(302, { location: 'https://other.example.com/next' }).end();
    expect(await send(get())).toMatch(/^HTTP\/1\.1 302 [^]*location: https:\/\/other\.example\.com\/next/iu);
    respond = (_, response) => void response.end('served');
    const before = seen.length;
    const socket = await tunnel('other.example.com:443');
    if (socket === undefined) throw new Error('There is no tunnel.');
    // Not ended here: the certificate is that of the server.
    await all(connectTls({ socket, servername: 'other.example.com', ca: servers.certificate }), get('/next', 'other.example.com'));
    expect(reached(before)).toHaveLength(1);
    expect(reached(before).join()).not.toContain(VALUE);
  });

  describe('rules about requests', () => {
    it('the control: what the rule covers is let through', async () => {
      expect(await send(get('/repos/a?b=1', RULED), RULED)).toMatch(/^HTTP\/1\.1 200 /u);
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
      const before = seen.length;
      expect(await send(text, RULED)).not.toMatch(/^HTTP\/1\.1 [23]/u);
      expect(reached(before)).toEqual([]);
    });

    it.each([
      'X-HTTP-Method-Override: DELETE',
      'X-HTTP-Method: DELETE',
      'X-Method-Override: DELETE',
      'X_HTTP_Method_Override: DELETE',
      'X-Original-URL: /admin',
      'X-Rewrite-URL: /admin',
      'X-Forwarded-Uri: /admin',
      'X-Forwarded-Prefix: /admin',
      'X-Forwarded-Host: admin.example.com',
      'X-Host: admin.example.com',
      'Forwarded: host=admin.example.com',
    ])('a header changes neither method, path nor host: %s', async (header) => {
      const before = seen.length;
      await send(get('/repos/a', RULED, `${header}\r\nX-Other: stays\r\n`), RULED);
      expect(reached(before)).toHaveLength(1);
      expect(reached(before).join()).toContain('stays');
      expect(reached(before).join()).not.toMatch(/DELETE|admin/u);
      // The control: to a host without such rules it goes as it is.
      await send(get('/repos/a', HOST, `${header}\r\n`));
      expect(seen.at(-1)).toMatch(/DELETE|admin/u);
    });

    it.each(['/repos/a?_method=DELETE', '/repos/a?b=1&%5Fmethod=DELETE', '/repos/a?_HttpMethod=PATCH', '/repos/a?x-http-method-override=DELETE'])(
      'a parameter does not change the method: %s',
      async (path) => {
        const before = seen.length;
        expect(await send(get(path, RULED), RULED)).toMatch(/^HTTP\/1\.1 403 /u);
        expect(reached(before)).toEqual([]);
        await send(get(path));
        expect(reached(before)).toHaveLength(1);
      },
    );

    it('hold without TLS, and tell what would allow a request', async () => {
      const before = seen.length;
      expect(await raw(`GET http://${RULED}/admin/x?token=1 HTTP/1.1\r\nHost: ${RULED}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /u);
      expect(told.at(-1)?.refusal).toEqual({ allowedBy: `${RULED} GET /admin/x` });
      expect(reached(before)).toEqual([]);
      expect(await raw(`GET http://${RULED}/repos/x HTTP/1.1\r\nHost: ${RULED}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /u);
    });
  });

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
          respond = (request, response) => {
            const body = compress(`--${encode(request.headers.authorization ?? '')}--${encode('Bearer not-a-secret-at-all')}--`);
            response.setHeader('content-encoding', coding);
            for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
            response.end();
          };
          const socket = await tunnel(`${HOST}:443`);
          if (socket === undefined) throw new Error('There is no tunnel.');
          const client = connectTls({ socket, servername: HOST, ca: authority.certificate });
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
    respond = (_, response) => void response.end('served');
    expect([attempts, leaked]).toEqual([520, 0]);
    expect(control).toBeGreaterThan(500);
  }, 120_000);

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
        respond = (request, response) => {
          const body = Buffer.from(write(request.headers.authorization ?? '') as string);
          for (let at = 0; at < body.length; at += size) response.write(body.subarray(at, at + size));
          response.end(Buffer.from(write('Bearer not-a-secret-at-all') as string));
        };
        // In one stream, as a program sees it: chunks are joined.
        const answer = (await send(get()))
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
    respond = (_, response) => void response.end('served');
  }, 60_000);
});
