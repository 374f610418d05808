import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROGRAMS } from './programs.ts';

/** A proxy behind a Unix socket. */
async function proxy(onConnection: (socket: Socket) => void): Promise<string> {
  const path = join(mkdtempSync(join(tmpdir(), 'synapse-bridge-')), 'proxy.sock');
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  await listening(server, path);
  return path;
}

async function listening(server: Server, at: string | number): Promise<void> {
  if (typeof at === 'string') server.listen(at);
  else server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a command beside the bridge. It ends when its input does. */
function bridged(path: string, port: number, words: readonly string[] = ['/bin/sh', '-c', 'echo up; read -r _; exit 7'], added = '') {
  const address = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'],
    http_proxy: address,
    MAVEN_OPTS: `-Dhttp.proxyPort=${port} -Dx.proxyPort=${port}0`,
    NO: 'x',
    PERL_UNICODE: 'SDA',
  };
  const child = spawn('perl', ['-e', PROGRAMS['bridge.pl'], path, String(port), '', added, ...words], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended, up: async () => await once(child.stdout, 'data') };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

describe.runIf(process.platform === 'linux')('the bridge', () => {
  it('carries large bodies both ways at once, whole, also to a slow reader, and ends with the command', async () => {
    const body = Buffer.alloc(5_000_000, Buffer.from(Array.from({ length: 997 }, (_, at) => at % 251)));
    const path = await proxy((socket) => {
      void buffer(socket).then((got) => {
        if (got.equals(body)) socket.end(body);
        else socket.destroy();
      });
    });
    const port = await freePort();
    const { child, ended, up } = bridged(path, port);
    await up();
    const received = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const socket = await connected(port);
        // The proxy answers when this side has said its last word.
        socket.end(body);
        if (index === 0) socket.pause();
        const got = buffer(socket);
        socket.resume();
        return (await got).equals(body);
      }),
    );
    expect(received).toEqual([true, true, true, true]);
    child.stdin.end();
    expect(await ended).toEqual([7, null]);
  });

  it('serves more connections than it takes at once, and those that break off', async () => {
    const path = await proxy((socket) => void socket.once('data', (got: Buffer) => socket.end(got)));
    const port = await freePort();
    const { up } = bridged(path, port);
    await up();
    for (const socket of await Promise.all(Array.from({ length: 20 }, async () => await connected(port)))) socket.resetAndDestroy();
    const answers = Array.from({ length: 300 }, async (_, index) => {
      const socket = await connected(port);
      socket.write(`number ${index}`);
      const answer = await text(socket);
      socket.end();
      return answer;
    });
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 300 }, (_, index) => `number ${index}`));
  });

  it('passes on what the command sends right before it ends', async () => {
    const heard: Array<Promise<string>> = [];
    const path = await proxy((socket) => {
      heard.push(text(socket));
      socket.write('?');
    });
    const perl = 'use IO::Socket::INET; my $s = IO::Socket::INET->new("127.0.0.1:$ARGV[0]"); sysread $s, my $asked, 1; syswrite $s, "why"; exit 0';
    // Each may end before or after the bridge looks: without care, every third word is lost.
    for (let index = 0; index < 20; index += 1) {
      const port = await freePort();
      await bridged(path, port, ['perl', '-e', perl, String(port)]).ended;
    }
    expect(await Promise.all(heard)).toEqual(Array.from({ length: 20 }, () => 'why'));
  });

  it('takes another port if its own is used, names it to the command, and adds variables', async () => {
    const used = createServer();
    await listening(used, 0);
    const port = portOf(used);
    const look = 'echo "$http_proxy|$MAVEN_OPTS|$NO|$ONE|$TWO"';
    const { child, ended } = bridged('/nowhere', port, ['/bin/sh', '-c', look], 'ONE=a=b\nTWO=c d');
    const said = await text(child.stdout);
    const [, moved = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\|/u.exec(said) ?? [];
    expect(Number(moved)).not.toBe(port);
    expect(said).toBe(`http://127.0.0.1:${moved}|-Dhttp.proxyPort=${moved} -Dx.proxyPort=${port}0|x|a=b|c d\n`);
    expect(await ended).toEqual([0, null]);
  });

  it('ends as the command does: by its code, by a signal, or because there is none', async () => {
    const port = await freePort();
    const ends = [['/bin/sh', '-c', 'exit 3'], ['/bin/sh', '-c', 'kill -9 $$'], ['/no/such/program']];
    const seen = await Promise.all(ends.map(async (words) => await bridged('/nowhere', port, words).ended));
    expect(seen).toEqual([
      [3, null],
      [null, 'SIGKILL'],
      [127, null],
    ]);
  });
});
