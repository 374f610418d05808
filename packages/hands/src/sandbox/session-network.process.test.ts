import { describe, expect, it } from 'vitest';
import type { SessionNetwork } from '../process/processes.ts';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';

const ANSWER = 'HTTP/1.0 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok';
const SERVER = `perl -MIO::Socket::INET -e '$| = 1; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 8123, Listen => 5, ReuseAddr => 1) or die "taken\\n"; print "up\\n"; while ($c = $s->accept) { print $c "${ANSWER}"; close $c }'`;
const ask = (address: string): string => `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new("${address}") or die "refused\\n"; print <$s>' 2>&1`;

/** Starts a server in the network of a session, and waits until it listens. */
async function serve(bench: SandboxBench, network: SessionNetwork): Promise<{ stop: () => Promise<unknown> }> {
  const stopping = new AbortController();
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const ended = bench.inside(SERVER, { signal: stopping.signal, network, onOutput: () => resolve() });
  await Promise.race([up, ended.then(() => Promise.reject(new Error('the server has ended')))]);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

describe.each(TEST_USERS)('the network of a session, as %s', (user) => {
  it('is that of its commands while it has a job, and of nobody else', async () => {
    await using bench = await SandboxBench.open(user);
    const server = await serve(bench, { session: 'one', opens: true });
    expect((await bench.inside(ask('127.0.0.1:8123'), { network: { session: 'one' } })).stdout).toContain('ok');
    // Commands of other sessions, of none, and what is outside.
    expect((await bench.inside(ask('127.0.0.1:8123'), { network: { session: 'two' } })).stdout).toBe('refused\n');
    expect((await bench.inside(ask('127.0.0.1:8123'))).stdout).toBe('refused\n');
    expect((await bench.outsideOf(ask('127.0.0.1:8123'))).stdout).toBe('refused\n');
    const second = await serve(bench, { session: 'two', opens: true });
    await Promise.all([server.stop(), second.stop()]);
    expect((await bench.inside(ask('127.0.0.1:8123'), { network: { session: 'one' } })).stdout).toBe('refused\n');
  });

  it('leads nowhere else, and nobody in it has more power', async () => {
    await using bench = await SandboxBench.open(user);
    const server = await serve(bench, { session: 'one', opens: true });
    const network = { session: 'one' };
    const look = 'grep -c : /proc/net/dev; grep CapEff /proc/self/status; id -u; ls /proc/self/fd; unshare -U true 2>/dev/null; echo $?';
    const [joined, alone] = [await bench.inside(look, { network }), await bench.inside(look)];
    expect(joined.stdout).toBe(alone.stdout);
    expect(joined.stdout).toContain('CapEff:\t0000000000000000\n');
    // A command is still alone with its processes.
    const alsoThere = 'set -- /proc/[0-9]*; echo $#';
    expect((await bench.inside(alsoThere, { network })).stdout).toBe((await bench.inside(alsoThere)).stdout);
    await server.stop();
  });

  // The bridge is a source here, which the sandbox shows as it is. test/e2e/node-versions.heavy.process.test.ts runs the built one.
  it.runIf(process.features.typescript)('works with a proxy for names of hosts: each command has its own way to it', async () => {
    await using bench = await SandboxBench.open(user, { policy: { network: { domains: ['allowed.example'] } } });
    const server = await serve(bench, { session: 'one', opens: true });
    const network = { session: 'one' };
    const [one, two] = await Promise.all([
      bench.inside(`echo "$http_proxy"; ${ask('127.0.0.1:8123')}`, { network }),
      bench.inside('echo "$http_proxy" "$HTTPS_PROXY"', { network }),
    ]);
    const proxies = [one, two].map(({ stdout }) => stdout.split('\n')[0]);
    expect(one.stdout).toContain('ok');
    for (const proxy of proxies) expect(proxy).toMatch(/^http:\/\/127\.0\.0\.1:\d+( http:\/\/127\.0\.0\.1:\d+)?$/u);
    // The job's own bridge has the usual port.
    expect(proxies.every((proxy) => proxy?.includes(':3128') === false)).toBe(true);
    await server.stop();
  });

  // perl forwards, and Node where rules deny perl. Another user cannot reach a proxy of the tests.
  const isOther = user === 'user' && process.getuid?.() === 0;
  it.runIf(process.features.typescript && !isOther).each([
    { by: 'perl', deniedPrograms: [] },
    { by: 'node', deniedPrograms: ['/usr/bin/perl'] },
  ])('lets no command use the proxy of a job, by $by', async ({ deniedPrograms }) => {
    await using bench = await SandboxBench.open(user, { policy: { network: { domains: ['allowed.example'] }, deniedPrograms } });
    // Such as a host that a person allowed it alone, or its secrets.
    const use = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://closed.example/ HTTP/1.1\r\nHost: closed.example\r\nConnection: close\r\n\r\n' >&3; cat <&3`;
    const stopping = new AbortController();
    const { promise: up, resolve } = Promise.withResolvers<string>();
    let said = '';
    const job = bench.inside('', {
      argv: ['/bin/bash', '-c', `${use}; echo; echo "$http_proxy"; exec sleep 60`],
      signal: stopping.signal,
      network: { session: 'one', opens: true },
      onOutput: (_, chunk) => {
        said += chunk.toString();
        if (said.endsWith(':3128\n')) resolve(said);
      },
    });
    expect(await Promise.race([up, job.then(() => 'ended')])).toContain('The network policy does not allow this host.');
    for (const mode of ['copy', 'read', 'try'] as const) {
      const { stdout } = await bench.inside('', { argv: ['/bin/bash', '-c', use], network: { session: 'one' }, mode });
      expect([mode, stdout]).toEqual([mode, '']);
    }
    stopping.abort();
    await job;
  });

  it('what a command leaves running is counted before it ends with it', async () => {
    await using bench = await SandboxBench.open(user);
    const count = async (command: string): Promise<number> => (await bench.inside(command, { countsLeft: true })).leftRunning;
    expect(await count('true')).toBe(0);
    expect(await count('sleep 60 & sleep 60 & true')).toBe(2);
    expect(await count('setsid sleep 60 >/dev/null 2>&1 & exit 3')).toBe(1);
    expect(await count('sleep 0.01 & wait')).toBe(0);
  });

  it('counting changes neither outputs, nor exit codes, nor what is inherited', async () => {
    await using bench = await SandboxBench.open(user);
    for (const command of [
      'echo out; echo err >&2; exit 3',
      'kill -SEGV $$',
      'ls /proc/self/fd; echo $#',
      'exec 9>&1; sh -c "kill -TERM $$"',
      'no-such-program',
    ]) {
      const [counted, plain] = [await bench.inside(command, { countsLeft: true }), await bench.inside(command)];
      const seen = ({ stdout, stderr, exitCode, signal }: typeof plain) => ({
        stdout,
        stderr: stderr.replaceAll(/^\S*sh: \d+:/gmu, 'sh:'),
        exitCode,
        signal,
      });
      expect([command, seen(counted)]).toEqual([command, seen(plain)]);
    }
  });
});
