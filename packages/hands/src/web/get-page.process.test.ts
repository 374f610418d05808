import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps, get as httpsGet } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBrotliCompress, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostGuard } from '../policy/host-guard.ts';
import { admitHost, getPage, MAX_BODY_BYTES, type PageSurroundings } from './get-page.ts';
import { canFetch } from './http-client.ts';
import { parseWebAddress } from './web-address.ts';

const servers: Array<{ close(): unknown }> = [];
const headers: Array<Record<string, unknown>> = [];
let hits = 0;
let port = 0;
let other = 0;

async function listen(server: NetServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const answer: RequestListener = (request, response) => {
  hits += 1;
  headers.push({ ...request.headers });
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path === '/to') return void response.writeHead(Number(query.slice(0, 3)), { location: decodeURIComponent(query.slice(4)) }).end('moved');
  if (path === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
  if (path === '/bomb') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(60_000_000)));
  if (path === '/brotli') {
    response.writeHead(200, { 'content-encoding': 'br' });
    const brotli = createBrotliCompress();
    brotli.pipe(response);
    return void brotli.end(Buffer.alloc(60_000_000));
  }
  if (path === '/lie') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
  if (path === '/endless') {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    };
    response.on('drain', more);
    return more();
  }
  // One byte, and then nothing any more.
  if (path === '/slow') return void response.writeHead(200).write('x');
  if (path === '/headers') return void response.writeHead(200, { big: 'x'.repeat(100_000) }).end();
  if (path === '/pdf') return void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF');
  if (path === '/break') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('x', () => response.destroy());
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end(`hello ${path}`);
};

beforeAll(async () => {
  port = await listen(createHttp(answer));
  other = await listen(createHttp(answer));
});
afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
    server.close();
  }
});

/** Rules that permit some hosts, and open this machine to some. */
const guard = (open: readonly string[] = ['127.0.0.1', 'docs.test', 'localhost'], permitted: readonly string[] = open): HostGuard => ({
  refusal: (url) => (permitted.includes(new URL(url).hostname) ? undefined : 'talks to it: ask by mode'),
  opensLocal: (host) => open.includes(host),
});

const names: Record<string, string[]> = {
  'docs.test': ['127.0.0.1'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
  'cloud.test': ['169.254.169.254'],
  // Names of the internet are resolved.
  'a.root-servers.net': ['198.41.0.4'],
};
function get(url: string, more: Partial<PageSurroundings> = {}) {
  const resolve = async (host: string): Promise<string[]> => names[host] ?? Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  return getPage(url, { guard: guard(), signal: AbortSignal.timeout(60_000), resolve, ...more });
}

describe.runIf(canFetch())('a page', () => {
  it('comes from the address that was judged, with nothing told of who asks', async () => {
    headers.length = 0;
    const page = await get(`http://docs.test:${port}/a?b#c`);
    expect(page).toMatchObject({ status: 200, contentType: 'text/plain', url: `http://docs.test:${port}/a?b`, redirects: 0 });
    expect(page.body.toString()).toBe('hello /a');
    await get(`http://docs.test:${port}/again`);
    expect(headers).toHaveLength(2);
    for (const sent of headers) {
      expect(sent).toMatchObject({ host: `docs.test:${port}`, 'user-agent': expect.stringMatching(/^synapse-fetch/u) as string });
      expect(Object.keys(sent)).not.toEqual(expect.arrayContaining(['cookie']));
      expect(sent).not.toHaveProperty('authorization');
      expect(sent).not.toHaveProperty('referer');
    }
  });

  it('is not asked for again where its port belongs to another service', async () => {
    await expect(get('http://127.0.0.1:22/')).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('another service') as string,
    });
  });

  it('is resolved once: what a name means a moment later does not count', async () => {
    let asked = 0;
    // First this machine, opened by a rule; then where nothing listens. Were it asked again, the connection would fail.
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    expect((await get(`http://docs.test:${port}/`, { resolve })).status).toBe(200);
    expect(asked).toBe(1);
  });

  it('a name that turns to this machine on a redirect is judged again', async () => {
    let asked = 0;
    const before = hits;
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254']);
    await expect(get(`http://docs.test:${port}/to?302=/next`, { resolve })).rejects.toMatchObject({ code: 'denied' });
    expect(hits).toBe(before + 1);
  });

  it.each([
    ['http://127.0.0.1/', 'denied'],
    ['http://localhost/', 'denied'],
    ['http://localhost./', 'denied'],
    ['http://LOCALHOST/', 'denied'],
    ['http://2130706433/', 'denied'],
    ['http://0x7f.1/', 'denied'],
    ['http://0/', 'denied'],
    ['http://100.64.0.1/', 'denied'],
    ['http://[::1]/', 'denied'],
    ['http://[::ffff:127.0.0.1]/', 'denied'],
    ['http://[::127.0.0.1]/', 'denied'],
    ['http://[64:ff9b::7f00:1]/', 'denied'],
    ['http://[2002:7f00:1::]/', 'denied'],
    ['http://169.254.169.254/latest/meta-data/', 'denied'],
    ['http://[fd00:ec2::254]/', 'denied'],
    ['http://100.100.100.200/', 'denied'],
    ['http://mixed.test/', 'denied'],
    ['http://cloud.test/', 'denied'],
    ['http://docs.test/', 'denied'],
    ['http://1.1.1.1:22/', 'denied'],
    ['http://1.1.1.1:6379/', 'denied'],
    ['http://nowhere.test/', 'not_found'],
    ['file:///etc/passwd', 'invalid_arguments'],
    ['http://user:pass@1.1.1.1/', 'invalid_arguments'],
  ])('%s is refused where no rule opens it', async (url, code) => {
    const resolve = async (host: string): Promise<string[]> => {
      if (host === 'localhost') return ['::1', '127.0.0.1'];
      return names[host] ?? Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    };
    await expect(get(url, { guard: guard([], ['1.1.1.1']), resolve })).rejects.toMatchObject({ code, hint: expect.any(String) as string });
  });

  it.each(['http://169.254.169.254/', 'http://cloud.test/', 'http://0.0.0.0/'])('no rule opens %s', async (url) => {
    await expect(get(url, { guard: { refusal: () => undefined, opensLocal: () => true } })).rejects.toMatchObject({ code: 'denied' });
  });
});

describe.runIf(canFetch())('a redirect', () => {
  const to = (status: number, location: string): string => `http://127.0.0.1:${port}/to?${status}=${encodeURIComponent(location)}`;

  it.each([301, 302, 303, 307, 308])('%i is followed on the same host', async (status) => {
    expect(await get(to(status, '/b?c'))).toMatchObject({ url: `http://127.0.0.1:${port}/b?c`, redirects: 1 });
  });

  it('is followed to a host that rules allow', async () => {
    expect(await get(to(302, `http://docs.test:${other}/b`))).toMatchObject({ url: `http://docs.test:${other}/b`, redirects: 1 });
  });

  it('to a host that is not permitted is reported, not followed', async () => {
    const before = hits;
    const next = `http://docs.test:${other}/secret`;
    await expect(get(to(302, next), { guard: guard(['127.0.0.1', 'docs.test'], ['127.0.0.1']) })).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining(next) as string,
      hint: expect.stringContaining('Ask for that address itself') as string,
    });
    expect(hits).toBe(before + 1);
  });

  it.each([
    ['file:///etc/passwd', 'must begin with http'],
    ['http://user:x@127.0.0.1/', 'user name'],
    ['http://169.254.169.254/', 'not permitted'],
    ['javascript:alert(1)', 'must begin with http'],
    ['http://a b/', 'must hold no spaces'],
  ])('to %j is not followed', async (location, why) => {
    await expect(get(to(302, location))).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining(why) as string });
  });

  it('ends after five', async () => {
    const before = hits;
    await expect(get(`http://127.0.0.1:${port}/loop`)).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('5 times') as string,
    });
    expect(hits).toBe(before + 6);
  });
});

describe.runIf(canFetch())('a hostile answer', () => {
  it.each([
    ['/bomb', 'too_large', 'larger than 5.2MB'],
    ['/brotli', 'too_large', 'larger than 5.2MB'],
    ['/endless', 'too_large', 'larger than 5.2MB'],
    ['/headers', 'too_large', 'headers'],
    ['/lie', 'tool_failed', 'no valid HTTP'],
    ['/pdf', 'binary_file', 'application/pdf'],
    ['/break', 'unavailable', 'broke off'],
  ])('%s is %s', async (path, code, words) => {
    await expect(get(`http://127.0.0.1:${port}${path}`)).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string });
  });

  it('is no more than the limit of a body', () => expect(MAX_BODY_BYTES).toBeLessThanOrEqual(5 * 1024 * 1024));

  it.each([
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.7\r\n', 'no valid HTTP'],
    ['that ends at once', '', 'broke off'],
    ['that smuggles', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc', 'no valid HTTP'],
  ])('%s', async (_, text, words) => {
    const at = await listen(createTcp((socket) => void socket.on('error', () => {}).end(text)));
    await expect(get(`http://127.0.0.1:${at}/`)).rejects.toMatchObject({ message: expect.stringContaining(words) as string });
  });

  it('that never ends ends with its signal', async () => {
    const controller = new AbortController();
    const page = get(`http://127.0.0.1:${port}/slow`, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('over')));
    await expect(page).rejects.toThrow('over');
  });

  it('a resolver that never answers ends with its signal', async () => {
    const controller = new AbortController();
    const page = get('http://docs.test/', { signal: controller.signal, resolve: () => new Promise(() => {}) });
    controller.abort(new Error('over'));
    await expect(page).rejects.toThrow('over');
  });

  const unknown = Object.assign(new Error('no'), { code: 'ENOTFOUND' });

  it('no name resolution is not blamed on the spelling', async () => {
    const page = get('http://docs.test/', { resolve: () => Promise.reject(unknown) });
    await expect(page).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('No name resolution here') as string });
  });

  it('an unknown name where others are resolved is', async () => {
    const resolve = (host: string): Promise<string[]> => (host === 'docs.test' ? Promise.reject(unknown) : Promise.resolve(['198.41.0.4']));
    await expect(get('http://docs.test/', { resolve })).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('Check the spelling') as string,
    });
  });

  it('no server', async () => {
    const server = createTcp();
    const at = await listen(server);
    await new Promise((resolve) => void server.close(resolve));
    await expect(get(`http://127.0.0.1:${at}/`)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('does not accept') as string,
    });
  });
});

function openssl(): boolean {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(canFetch() && openssl())('HTTPS', () => {
  let at = 0;
  let certificate = '';
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'synapse-tls-'));
    const [keyFile, certificateFile] = [join(folder, 'key'), join(folder, 'cert')];
    const subject = ['-subj', '/CN=docs.test', '-addext', 'subjectAltName=DNS:docs.test', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-out', certificateFile, ...subject], {
      stdio: 'ignore',
    });
    certificate = readFileSync(certificateFile, 'utf8');
    at = await listen(createHttps({ key: readFileSync(keyFile), cert: certificate }, answer));
    rmSync(folder, { recursive: true });
  });

  it('is checked against the name, not the address', async () => {
    expect(await get(`https://docs.test:${at}/x`, { authorities: certificate })).toMatchObject({ status: 200 });
    await expect(get(`https://127.0.0.1:${at}/x`, { authorities: certificate })).rejects.toMatchObject({
      message: expect.stringContaining('certificate') as string,
    });
  });

  it('is refused without a trusted certificate', async () => {
    await expect(get(`https://docs.test:${at}/x`)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('certificate') as string,
    });
  });

  it('is checked whatever the environment says', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      // The control: Node itself believes any certificate now.
      const plain = await new Promise<number | undefined>((resolve, reject) => {
        httpsGet({ host: '127.0.0.1', port: at, path: '/x' }, (response) => resolve(response.resume().statusCode)).once('error', reject);
      });
      expect(plain).toBe(200);
      await expect(get(`https://docs.test:${at}/x`)).rejects.toMatchObject({ message: expect.stringContaining('certificate') as string });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });

  it('is refused where the port speaks none', async () => {
    await expect(get(`https://docs.test:${port}/x`)).rejects.toMatchObject({
      message: expect.stringContaining('Secure connection failed') as string,
    });
  });

  it('is not given up on a redirect', async () => {
    const page = get(`https://docs.test:${at}/to?302=${encodeURIComponent(`http://docs.test:${port}/`)}`, { authorities: certificate });
    await expect(page).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('encryption') as string });
  });
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['93.184.216.34', '2606:2800:220:1::1'],
  'inner.test': ['10.0.0.1'],
  'mixed.test': ['93.184.216.34', '10.0.0.1'],
  'cloud.test': ['93.184.216.34', '169.254.169.254'],
  'empty.test': [],
  'a.root-servers.net': ['198.41.0.4'],
};
async function admit(url: string, opened: boolean, signal = new AbortController().signal): Promise<readonly string[]> {
  const address = parseWebAddress(url);
  if (typeof address === 'string') throw new Error(address);
  const guard: HostGuard = { refusal: () => undefined, opensLocal: () => opened };
  return await admitHost(address, guard, async (host) => NAMES[host] ?? Promise.reject(new Error('no such name')), signal);
}

it.each<[string, boolean, readonly string[]]>([
  ['https://public.test/', false, NAMES['public.test'] ?? []],
  ['http://93.184.216.34/', false, ['93.184.216.34']],
  ['http://inner.test/', true, ['10.0.0.1']],
  ['http://public.test:8080/', true, NAMES['public.test'] ?? []],
  ['http://[::1]:8080/', true, ['::1']],
])('%s is gone to (opened: %s)', async (url, opened, addresses) => {
  expect(await admit(url, opened)).toEqual(addresses);
});

it.each<[string, boolean, string]>([
  ['http://inner.test/', false, 'denied'],
  ['http://mixed.test/', false, 'denied'],
  ['http://127.0.0.1/', false, 'denied'],
  ['http://[::1]/', false, 'denied'],
  ['http://public.test:22/', false, 'denied'],
  ['http://cloud.test/', true, 'denied'],
  ['http://169.254.169.254/', true, 'denied'],
  ['http://empty.test/', false, 'not_found'],
  ['http://none.test/', false, 'not_found'],
])('%s is refused (opened: %s)', async (url, opened, code) => {
  await expect(admit(url, opened)).rejects.toMatchObject({ code });
});

it('waits for no name once the call has ended', async () => {
  await expect(admit('https://public.test/', false, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
});
