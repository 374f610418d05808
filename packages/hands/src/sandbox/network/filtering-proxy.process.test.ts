import { BlockList, createServer, type AddressInfo, connect } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilteringProxy } from './filtering-proxy.ts';
import { domainRule, isAllowedHost, parseAuthority, parseDomainRule, parseTarget } from './host-rules.ts';
import { addressReach, isPrivateAddress } from '../../net/address-reach.ts';

describe('hosts', () => {
  it.each([
    ['example.com:443', { host: 'example.com', port: 443 }],
    ['EXAMPLE.com:80', { host: 'example.com', port: 80 }],
    ['example.com.:443', undefined],
    ['example.com:22', { host: 'example.com', port: 22 }],
    ['example.com:0', undefined],
    ['example.com:65536', undefined],
    ['example.com:0443x', undefined],
    ['example.com', undefined],
    ['user@example.com:443', undefined],
    ['evil\0.example.com:443', undefined],
    ['evil%00.example.com:443', undefined],
    ['evil.io/.example.com:443', undefined],
    ['127.0.0.1:443', { host: '127.0.0.1', port: 443 }],
    ['127.1:443', undefined],
    ['0177.0.0.1:443', undefined],
    ['2130706433:443', undefined],
    ['0x7f.1:443', undefined],
    ['[::1]:443', undefined],
    ['localhost:443', { host: 'localhost', port: 443 }],
    ['0x7f000001:443', undefined],
    ['a..b:443', undefined],
    ['exämple.com:443', undefined],
    [`${'a'.repeat(64)}.com:443`, undefined],
  ])('%j', (authority, expected) => {
    expect(parseAuthority(authority)).toEqual(expected);
  });

  it.each([
    ['http://example.com/a?b', { host: 'example.com', port: 80, path: '/a?b' }],
    ['http://example.com?b', { host: 'example.com', port: 80, path: '/?b' }],
    ['http://example.com', { host: 'example.com', port: 80, path: '/' }],
    ['https://example.com/', undefined],
    ['http://example.com\\@evil.io/', undefined],
    ['http://evil.io#@example.com/', undefined],
    ['http://user:x@example.com/', undefined],
    ['http:example.com/', undefined],
    ['/relative', undefined],
    ['http://example.com:6379/', { host: 'example.com', port: 6379, path: '/' }],
  ])('%j', (target, expected) => {
    expect(parseTarget(target)).toEqual(expected);
  });

  it.each([
    ['example.com', 'example.com', true],
    ['a.example.com', 'example.com', false],
    ['a.example.com', '*.example.com', true],
    ['a.b.example.com', '*.example.com', true],
    ['example.com', '*.example.com', false],
    ['evilexample.com', '*.example.com', false],
    ['example.com.evil.io', 'example.com', false],
  ])('%s by %s: %s', (host, rule, expected) => {
    expect(isAllowedHost({ host, port: 443 }, [rule])).toBe(expected);
  });

  it.each([
    ['example.com', 22, 'example.com', false],
    ['example.com', 8081, 'example.com:8081', true],
    ['example.com', 443, 'example.com:8081', false],
    ['example.com', 1, 'example.com:8081', false],
    ['a.example.com', 8081, '*.example.com:8081', true],
    ['10.0.0.5', 4873, '10.0.0.5:4873', true],
    ['10.0.0.5', 80, '10.0.0.5', true],
    ['nexus', 80, 'nexus', true],
  ])('%s:%i by %s: %s', (host, port, rule, expected) => {
    expect(isAllowedHost({ host, port }, [domainRule(rule)])).toBe(expected);
  });

  it.each(['*', '*.', 'http://a.com', 'a.com/', '*.*.com', 'a.com.', '010.0.0.1', '2130706433', '[::1]', 'a.com:0', 'a.com:99999', 'a:b', ':80', ''])(
    '%j cannot be named',
    (rule) => {
      expect(() => domainRule(rule)).toThrow('is no name of a host');
    },
  );

  it.each(['*', '*.', 'com', 'http://a.com', 'a.com/', '*.*.com', 'a.com.', '1.2.3.4'])('%j is no rule', (rule) => {
    expect(parseDomainRule(rule)).toBeUndefined();
  });

  it.each([
    ...'127.0.0.1 10.1.2.3 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192 0.0.0.0 224.0.0.1 255.255.255.255'.split(' '),
    ...':: ::1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: fd00:ec2::254 fe80::1 ff02::1 x'.split(' '),
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe('the proxy', () => {
  let folder: string;
  let proxy: FilteringProxy;
  const refused: string[] = [];
  const dialled: string[] = [];
  const seen: string[] = [];
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  const web = createHttpServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    response.end(`${request.headers.host} ${request.url}`);
  });
  const addresses: Record<string, string[]> = {
    'good.example.com': ['93.184.216.34'],
    'mixed.example.com': ['93.184.216.34', '10.0.0.1'],
    'inner.example.com': ['127.0.0.1'],
    'registry.example.com': ['10.1.2.3'],
    'both.example.com': ['10.1.2.3', 'fd00::5'],
    'metadata.example.com': ['169.254.169.254'],
    'alibaba.example.com': ['100.100.100.200'],
    'loop.example.com': ['127.0.0.1'],
    'turned.example.com': ['10.1.2.3', '127.0.0.1'],
    'sub.wild.example.com': ['10.1.2.3'],
    'built-in.example.com': ['10.1.2.3'],
    localhost: ['127.0.0.1', '::1'],
    nexus: ['192.168.1.9'],
  };
  const port = (server: { address(): AddressInfo | string | null }): number => Number(Object(server.address()).port);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'synapse-proxy-'));
    await Promise.all([echo, web].map((server) => new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(0)))));
    proxy = await FilteringProxy.listen(join(folder, 's'), {
      domains: ['*.example.com'],
      resolve: async (host) => addresses[host] ?? Promise.reject(new Error('no such name')),
      // The address was judged; the connection is turned to a server of this test.
      dial: (address, to) => {
        dialled.push(`${address}:${to}`);
        return connect(port(to === 443 ? echo : web), '127.0.0.1');
      },
      onRefused: (target) => refused.push(target),
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    echo.close();
    web.close();
  });

  /** Sends raw bytes, and gives all that comes until a text or the end. */
  async function exchange(sent: string, until?: string, name = 's'): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    let text = '';
    const socket = connect(join(folder, name));
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (until !== undefined && text.includes(until)) socket.destroy();
    });
    socket.write(sent);
    return await promise;
  }

  it('lets through what is allowed, to the address that was judged', async () => {
    const answer = await exchange('CONNECT good.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\nping', 'ping');
    expect(answer).toBe('HTTP/1.1 200 Connection Established\r\n\r\nping');
    expect(dialled).toEqual(['93.184.216.34:443']);
  });

  it('forwards plain requests under the host of their address, without what is meant for proxies', async () => {
    const answer = await exchange(
      'GET http://good.example.com/a?b HTTP/1.1\r\nHost: other.io\r\nProxy-Authorization: Basic eDp5\r\nX-Kept: 1\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /u);
    expect(answer).toContain('good.example.com /a?b');
    expect(seen.join()).not.toMatch(/other\.io|proxy-auth/u);
    expect(seen.join()).toContain('x-kept');
  });

  it.each([
    'evil.io:443',
    'mixed.example.com:443',
    'inner.example.com:443',
    'unknown.example.com:443',
    'good.example.com:22',
    '127.0.0.1:443',
    'good.example.com.:443',
  ])('refuses CONNECT %s', async (target) => {
    const before = dialled.length;
    expect(await exchange(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /u);
    expect(dialled).toHaveLength(before);
    expect(refused.at(-1)).toBe(target);
  });

  // An exception in here would end the process of the hands, and fail the run of this test.
  it.each(['000', '099', '101', '100'])('says 502 for a server that answers with status %s', async (status) => {
    const server = createServer((socket) => void socket.on('error', () => {}).end(`HTTP/1.1 ${status} X\r\nConnection: close\r\n\r\n`));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const dial = (): ReturnType<typeof connect> => connect(port(server), '127.0.0.1');
    await using hostile = await FilteringProxy.listen(join(folder, `s${status}`), { domains: ['x.io'], resolve: async () => ['1.1.1.1'], dial });
    expect(hostile).toBeDefined();
    const answer = await exchange('GET http://x.io/ HTTP/1.1\r\nHost: x.io\r\nConnection: close\r\n\r\n', undefined, `s${status}`);
    expect(answer).toMatch(/^HTTP\/1.1 502 /u);
    server.close();
  });

  it.each([
    ['502, of one that changes the protocol', '101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nx', 'GET', /^HTTP\/1\.1 502 /u],
    ['the answer, of one with more than its length', '200 OK\r\nContent-Length: 2\r\n\r\nok and more', 'GET', /^HTTP\/1\.1 200 [^]*\r\n\r\nok$/u],
    ['the answer, of one with a body where there is none', '200 OK\r\nContent-Length: 2\r\n\r\nok', 'HEAD', /^HTTP\/1\.1 200 [^]*\r\n\r\n$/u],
    ['no whole answer, of one with less than its length', '200 OK\r\nContent-Length: 2\r\n\r\no', 'GET', /^(?:$|HTTP\/1\.1 200 [^]*\r\n\r\no?$)/u],
  ])('gives %s', async (_, answered, method, expected) => {
    const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end(`HTTP/1.1 ${answered}`)));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const dial = (): ReturnType<typeof connect> => connect(port(server), '127.0.0.1');
    await using proxied = await FilteringProxy.listen(join(folder, 'u'), { domains: ['x.io'], resolve: async () => ['1.1.1.1'], dial });
    expect(proxied).toBeDefined();
    expect(await exchange(`${method} http://x.io/ HTTP/1.1\r\nHost: x.io\r\nConnection: close\r\n\r\n`, undefined, 'u')).toMatch(expected);
    server.close();
  });

  it.each(['http://evil.io/', 'http://127.0.0.1/', 'http://inner.example.com/', '/x', 'http://a@good.example.com/'])(
    'refuses GET %s',
    async (target) => {
      const before = dialled.length;
      expect(await exchange(`GET ${target} HTTP/1.1\r\nHost: good.example.com\r\n\r\n`)).toMatch(/^HTTP\/1.1 403 /u);
      expect(dialled).toHaveLength(before);
    },
  );

  describe('to private networks', () => {
    const open = async (name: string, domains: readonly string[], named: readonly string[]): Promise<FilteringProxy> =>
      await FilteringProxy.listen(join(folder, name), {
        domains,
        named,
        resolve: async (host) => addresses[host] ?? Promise.reject(new Error('no such name')),
        dial: (address, to) => {
          dialled.push(`${address}:${to}`);
          return connect(port(web), '127.0.0.1');
        },
        // Not that of the machine of the test.
        reach: (address) => addressReach(address, () => new BlockList()),
      });
    const get = async (url: string, name: string): Promise<string> =>
      (await exchange(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, undefined, name)).slice(9, 12);

    it.each([
      ['a host that a person named', 'registry.example.com', 'http://registry.example.com/x', '10.1.2.3:80'],
      ['one with several addresses', 'both.example.com', 'http://both.example.com/x', '10.1.2.3:80'],
      ['one on another port', 'registry.example.com:8081', 'http://registry.example.com:8081/x', '10.1.2.3:8081'],
      ['one by a short name', 'nexus:8081', 'http://nexus:8081/x', '192.168.1.9:8081'],
      ['one by its address', '10.9.9.9:4873', 'http://10.9.9.9:4873/x', '10.9.9.9:4873'],
      ['this machine by its name', 'localhost:4873', 'http://localhost:4873/x', '127.0.0.1:4873'],
      ['this machine by its address', '127.0.0.1:4873', 'http://127.0.0.1:4873/x', '127.0.0.1:4873'],
      ['a metadata service by its address', '169.254.169.254', 'http://169.254.169.254/x', '169.254.169.254:80'],
    ])('lets through %s', async (_, rule, url, expected) => {
      await using opened = await open('named', [rule], [rule]);
      expect(opened).toBeDefined();
      expect(await get(url, 'named')).toBe('200');
      expect(dialled.at(-1)).toBe(expected);
    });

    it.each([
      ['a host of the built-in list or of the workspace', ['built-in.example.com'], [], 'http://built-in.example.com/x'],
      ['a name below a wildcard', ['*.wild.example.com'], ['*.wild.example.com'], 'http://sub.wild.example.com/x'],
      ['a named host on a port that is not named', ['registry.example.com'], ['registry.example.com'], 'http://registry.example.com:8081/x'],
      ['a named host at a metadata service', ['metadata.example.com'], ['metadata.example.com'], 'http://metadata.example.com/x'],
      ['a named host at one in a shared range', ['alibaba.example.com'], ['alibaba.example.com'], 'http://alibaba.example.com/x'],
      ['a named host that is this machine', ['loop.example.com'], ['loop.example.com'], 'http://loop.example.com/x'],
      ['a named host that turns to this machine', ['turned.example.com'], ['turned.example.com'], 'http://turned.example.com/x'],
      ['the address of a named host', ['registry.example.com'], ['registry.example.com'], 'http://10.1.2.3/x'],
      ['an address that is not named', ['10.9.9.9'], ['10.9.9.9'], 'http://10.9.9.8/x'],
      ['this machine', ['nexus'], ['nexus'], 'http://localhost/x'],
    ] as const)('refuses %s', async (_, domains, named, url) => {
      await using opened = await open('closed', domains, named);
      expect(opened).toBeDefined();
      const before = dialled.length;
      expect(await get(url, 'closed')).toBe('403');
      expect(dialled).toHaveLength(before);
    });
  });
});
