import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A raw JSON-RPC session over stdio, so that no client library is measured. */
export interface McpSession extends AsyncDisposable {
  call(name: string, input: unknown): Promise<number>;
  /** Returns the resident memory of the server in bytes. */
  memory(): number;
}

interface Reply {
  id?: number;
  error?: unknown;
  result?: { isError?: boolean };
}

interface Answer {
  readonly reply: Reply;
  readonly bytes: number;
}

function request(child: ChildProcess): (method: string, params: unknown) => Promise<Answer> {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}.`));
  });
  let id = 0;
  let parts: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
      const reply = JSON.parse(line.toString()) as Reply;
      if (reply.id === undefined) continue;
      waiting.get(reply.id)?.resolve({ reply, bytes: line.length });
      waiting.delete(reply.id);
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  });
  return (method, params) => {
    id += 1;
    const answer = Promise.withResolvers<Answer>();
    waiting.set(id, answer);
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answer.promise;
  };
}

/** Starts a server and initializes it as a client of the 2025-06-18 protocol. */
export async function openMcp(
  command: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<McpSession & { firstList: number }> {
  const started = performance.now();
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'], env: environment });
  const send = request(child);
  await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  await send('tools/list', {});
  return {
    firstList: performance.now() - started,
    async call(name, input) {
      const { reply, bytes } = await send('tools/call', { name, arguments: input });
      if (reply.error !== undefined || reply.result?.isError === true) throw new Error(`${name}: ${JSON.stringify(reply).slice(0, 300)}`);
      return bytes;
    },
    memory: () => Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      child.kill();
      await ended;
    },
  };
}
