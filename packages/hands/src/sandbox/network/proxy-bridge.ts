// For machines without perl, the same as `bridge.pl`: a program that Node runs inside the sandbox, `bridge SOCKET PORT VARIABLES COMMAND…`. It
// forwards a port on the loopback of the sandbox to the proxy behind a Unix socket, runs the command with these variables, a line for each,
// and ends with it. It holds no secrets and decides nothing: a command that kills it only loses its network.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const [socketPath = '', port = '', added = '', program = '', ...args] = process.argv.slice(2);

/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024;
/** Buffers for answers, used again: fresh memory for each read takes longer than the copy. */
const free: Uint8Array[] = [];
const take = (): Uint8Array => free.pop() ?? new Uint8Array(READ_BYTES);

const server = createServer((client) => {
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

/** The commands of a session share a loopback: if another bridge uses the port, this one takes any free port. */
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
