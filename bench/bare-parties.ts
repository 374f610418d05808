import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

/** Makes a call whose result has a number of two-byte characters. */
export type Caller = (size: number) => Promise<unknown>;

/** Opens a bare relay and a bare machine: see bench/servers. */
export async function openBare(folder: string, stack: AsyncDisposableStack): Promise<Caller> {
  const start = async (name: string, ...words: string[]): Promise<string> => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url)), ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stack.defer(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return line;
  };
  const url = await start('bare-relay', join(folder, 'bare-relay.sqlite'));
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  stack.defer(() => socket.terminate());
  await start('bare-hands', url, join(folder, 'bare-hands.sqlite'));
  const waiting = new Map<string, (answer: unknown) => void>();
  socket.on('message', (data: Buffer) => {
    const answer = JSON.parse(data.toString('utf8')) as { readonly id: string };
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let count = 0;
  return (size) => {
    count += 1;
    const id = `call-${count}`;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, size: 2 * size }));
    return promise;
  };
}

/** Returns the calls per second with a number in flight. */
export async function rate(call: () => Promise<unknown>, calls: number, inFlight: number): Promise<number> {
  const began = performance.now();
  let left = calls;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await call();
    }),
  );
  return (calls * 1_000) / (performance.now() - began);
}
