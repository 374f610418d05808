// For machines without perl, the same as `bridge.pl`: a program that Node runs inside the sandbox, `bridge SOCKET PORT SHARED VARIABLES
// COMMAND…`. It forwards a port on the loopback of the sandbox to the proxy behind a Unix socket, runs the command with these variables, a
// line for each, and ends with it. Where commands share a loopback, it connects only programs of its own command. It holds no secrets: a command
// that kills it only loses its network.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

const [socketPath = '', port = '', shared = '', added = '', program = '', ...args] = process.argv.slice(2);

/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024;
/** Buffers for answers, used again: fresh memory for each read takes longer than the copy. */
const free: Uint8Array[] = [];
const take = (): Uint8Array => free.pop() ?? new Uint8Array(READ_BYTES);

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** An end of a connection as the tables of the kernel name it. */
const endOf = (address = '', number = 0): string => {
  const bytes = address.split('.').toReversed();
  return `${bytes.map((byte) => Number(byte).toString(16).padStart(2, '0')).join('')}:${number.toString(16).padStart(4, '0')}`.toUpperCase();
};

/** Whether a program of the command has the other side of a connection: /proc shows no others. */
function isOwn({ remoteAddress, remotePort, localAddress, localPort }: Socket): boolean {
  const ends = [endOf(remoteAddress, remotePort), endOf(localAddress, localPort)];
  let inode = '0';
  for (const [table, begin] of [
    ['tcp', ''],
    ['tcp6', '0000000000000000FFFF0000'],
  ] as const) {
    for (const line of tried(() => readFileSync(`/proc/net/${table}`, 'latin1'))?.split('\n') ?? []) {
      const fields = line.trim().split(/ +/u);
      if (fields[1] === `${begin}${ends[0]}` && fields[2] === `${begin}${ends[1]}`) inode = fields[9] ?? '0';
    }
  }
  // It was closed.
  if (inode === '0') return false;
  const names = (folder: string): string[] => tried(() => readdirSync(folder)) ?? [];
  const has = (process: string): boolean =>
    names(`/proc/${process}/fd`).some((at) => tried(() => readlinkSync(`/proc/${process}/fd/${at}`)) === `socket:[${inode}]`);
  return names('/proc').some((name) => /^\d+$/u.test(name) && has(name));
}

const server = createServer((client) => {
  if (shared !== '' && !isOwn(client)) {
    client.destroy();
    return;
  }
  const proxy = connect({
    path: socketPath,
    onread: {
      buffer: take,
      callback(length, bytes) {
        return client.write(bytes.subarray(0, length), () => void free.push(bytes));
      },
    },
  });
  client.on('drain', () => proxy.resume());
  client.pipe(proxy);
  proxy.on('end', () => client.end());
  client.on('error', () => proxy.destroy());
  proxy.on('error', () => client.destroy());
  client.on('close', () => proxy.destroy());
  proxy.on('close', () => client.destroy());
});

/** The commands of a session can share a loopback: if another bridge uses the port, this one takes any free port. */
function environment(): NodeJS.ProcessEnv {
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : Number(port);
  const [planned, actual] = [port, own].map((number) => `http://127.0.0.1:${number}`);
  const moved = (value = ''): string => (value === planned ? (actual ?? '') : value.replaceAll(`.proxyPort=${port}`, `.proxyPort=${own}`));
  const given = Object.entries(process.env).map(([name, value]) => [name, moved(value)]);
  const further = added.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]);
  return Object.fromEntries([...given, ...(added === '' ? [] : further)]);
}

server.once('error', () => server.listen(0, '127.0.0.1'));
server.once('listening', () => {
  const child = spawn(program, args, { stdio: 'inherit', env: environment() });
  child.on('error', () => process.exit(127));
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal);
    process.exit(code ?? 1);
  });
});
server.listen(Number(port), '127.0.0.1');
