import { connect } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CHECKOUT_USERS, SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';

describe.skipIf((await findBubblewrap()) === undefined).each(CHECKOUT_USERS)('network as %s', (user) => {
  async function web(): Promise<AsyncDisposable & { readonly port: number }> {
    const server = createHttpServer((request, response) => void response.end(`served ${request.headers.host}`)).listen(0, '127.0.0.1');
    await new Promise((resolve) => void server.once('listening', resolve));
    return {
      port: Number(Object(server.address()).port),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => void server.close(resolve));
      },
    };
  }
  const get = (url: string): string => `curl -sS -m 5 ${url} 2>&1 || echo "refused $?"`;

  it('off: nothing is reached, and there is a loopback of its own', async () => {
    await using server = await web();
    await using bench = await SandboxBench.open(user);
    const url = `http://127.0.0.1:${server.port}/`;
    expect((await bench.outsideOf(get(url))).stdout).toContain('served');
    expect((await bench.inside(get(url))).stdout).toMatch(/refused 7\n$/u);
    const own =
      'node -e \'const s = require("http").createServer((q, r) => r.end("own")).listen(0, () => fetch("http://127.0.0.1:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit(); }))\'';
    expect((await bench.inside(own)).stdout).toBe('own\n');
  });

  it('off: a proxy of the person hides no server of the command itself, and is there where the network is open', async () => {
    const environment = Object.fromEntries(
      ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy', 'ALL_PROXY'].map((name) => [name, 'http://127.0.0.1:1']),
    );
    const own = `node -e 'const s = require("http").createServer((q, r) => r.end("own")).listen(0, "127.0.0.1", () => require("child_process").execFile("curl", ["-sS", "http://127.0.0.1:" + s.address().port], (e, out, err) => { console.log(out + err); process.exit(); }))'`;
    await using bench = await SandboxBench.open(user, { environment });
    expect((await bench.inside(own)).stdout).toBe('own\n');
    await using open = await SandboxBench.open(user, { environment, policy: { network: 'on' } });
    expect((await open.inside(own)).stdout).toMatch(/127\.0\.0\.1 port 1 /u);
  });

  it('on: everything is reached', async () => {
    await using server = await web();
    await using bench = await SandboxBench.open(user, { policy: { network: 'on' } });
    expect((await bench.inside(get(`http://127.0.0.1:${server.port}/`))).stdout).toContain('served');
  });

  it.runIf(process.features.typescript)('domains: the bridge is no program that a rule denies, and without one there is no network', async () => {
    const script = `/proc/$PPID/exe -e 'print 40+1 . "\\n"'; /tmp/.synapse-bridge/node -p 40+2; /proc/$PPID/exe -p 40+2; echo end`;
    const said = async (deniedPrograms: readonly string[]): Promise<string> => {
      await using bench = await SandboxBench.open(user, { policy: { network: { domains: ['good.example.com'] }, deniedPrograms } });
      return (await bench.inside(script)).stdout;
    };
    expect(await said(['node', 'perl'])).toBe('end\n');
    // The controls: it is perl, or Node beside a rule that denies perl.
    expect(await said(['node'])).toBe('41\nend\n');
    expect(await said(['perl5.36.0'])).toContain('42\n42\nend\n');
  });

  // The bridge is a source here, which the sandbox shows as it is. test/e2e/node-versions.heavy.process.test.ts runs the built one.
  // The proxy belongs to the user of this process, as the command does outside of tests.
  it.runIf(process.features.typescript && user === TEST_USERS[0]).each([
    ['perl', []],
    ['Node, where perl is denied', ['perl']],
  ])('domains: what is allowed goes through the proxy, all else nowhere, by %s', async (_, deniedPrograms) => {
    await using server = await web();
    await using bench = await SandboxBench.open(user, {
      policy: { network: { domains: ['good.example.com'] }, deniedPrograms },
      network: {
        resolve: async () => ['93.184.216.34'],
        dial: () => connect(server.port, '127.0.0.1'),
      },
    });
    expect((await bench.inside(get('http://good.example.com/x'))).stdout).toBe('served good.example.com');
    expect((await bench.inside(get('http://evil.example.com/x'))).stdout).toContain('does not allow this host');
    expect((await bench.inside(get(`--noproxy "*" http://127.0.0.1:${server.port}/`))).stdout).toMatch(/refused 7\n$/u);
    expect(
      await bench.inside(
        'env | grep -i proxy | grep -v -E "=(http://127.0.0.1:3128|-Dhttp.proxyHost=127.0.0.1 .*|localhost,127.0.0.1,::1,0.0.0.0)$"; exit 5',
      ),
    ).toMatchObject({
      stdout: '',
      exitCode: 5,
    });
    expect(await bench.inside('kill -9 $$')).toMatchObject({ exitCode: 137 });
  });

  it.runIf(process.features.typescript && user === TEST_USERS[0])(
    'domains: Perl uses the proxy, for which an empty variable is an error',
    async () => {
      await using server = await web();
      await using bench = await SandboxBench.open(user, {
        policy: { network: { domains: ['good.example.com'] } },
        network: { resolve: async () => ['93.184.216.34'], dial: () => connect(server.port, '127.0.0.1') },
      });
      const { stdout } = await bench.inside(
        `perl -MHTTP::Tiny -e 1 2>/dev/null || { echo missing; exit; }; perl -MHTTP::Tiny -e 'print HTTP::Tiny->new->get("http://good.example.com/x")->{content}'`,
      );
      expect(stdout).toMatch(/^(?:served good\.example\.com|missing\n)$/u);
    },
  );
});
