// Counts the source files whose functions run in one warm call over MCP: node --conditions=synapse-source scripts/count-files.ts
// With --list it prints them with their functions. Coverage between two reads is what the call ran, including its records.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { createHands } from '@synapse/hands';
import { runMcpServer } from '@synapse/mcp-server';
import { type Ran, type WarmCount, warmCount } from './warm-count.ts';

/** A call to measure: a tool with its arguments, and the maximum number of files. */
interface MeasuredCall {
  readonly tool: string;
  readonly arguments: (round: number) => object;
  readonly maxFiles: number;
}

const PACKAGE = JSON.stringify({ name: 'counted', scripts: { test: 'date +%s%N > result.txt', check: 'true' } });

/** What people and models do most: each takes its own path through the code. */
const CALLS: Readonly<Record<string, MeasuredCall>> = {
  'read a file': { tool: 'read_file', arguments: () => ({ path: 'a.txt' }), maxFiles: 45 },
  'edit a file': {
    tool: 'edit_file',
    arguments: (round) => ({ path: 'a.txt', edits: [round % 2 === 0 ? { old_text: 'two', new_text: '2' } : { old_text: '2', new_text: 'two' }] }),
    maxFiles: 93,
  },
  'a command that reads': { tool: 'run_command', arguments: () => ({ command: 'cat a.txt' }), maxFiles: 70 },
  'npm test that writes nothing': { tool: 'run_command', arguments: () => ({ command: 'npm run check' }), maxFiles: 112 },
  'npm test that writes a file': { tool: 'run_command', arguments: () => ({ command: 'npm test' }), maxFiles: 142 },
};
const WARM_UPS = 3;
const MOST_TRIES = 12;
/** Milliseconds for work after the answer, such as records. */
const AFTER_MS = 300;
/** How much slower the clock goes: what is kept for a second is kept on a slow machine too, where a call takes longer than that. */
const SLOWER_CLOCK = 20;
const SOURCES = new URL('../packages/', import.meta.url).href;

const root = mkdtempSync(join(tmpdir(), 'synapse-count-'));
const workspace = join(root, 'workspace');
const place = { workspace, stateFolder: join(root, 'state'), configFolder: join(root, 'config') };

/** A minimal MCP client, so that no client code is counted. */
function connect(input: PassThrough, output: PassThrough) {
  const waiting = new Map<number, (result: { readonly isError?: boolean }) => void>();
  createInterface({ input: output }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { id?: number; result?: { readonly isError?: boolean }; error?: { readonly message: string } };
    if (id === undefined) return;
    if (error !== undefined) throw new Error(error.message);
    waiting.get(id)?.(result ?? {});
  });
  let last = 0;
  const send = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    send,
    request: (method: string, params: object) => {
      const { promise, resolve } = Promise.withResolvers<{ readonly isError?: boolean }>();
      waiting.set((last += 1), resolve);
      send({ id: last, method, params });
      return promise;
    },
  };
}

/** Returns the files with functions that ran since the last read, and the names of these functions. */
async function look(session: Session): Promise<Ran> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return new Map(
    result
      .filter(({ url }) => url.startsWith(SOURCES) && url.includes('/src/'))
      .map(
        ({ url, functions }) =>
          [
            url.slice(SOURCES.length),
            functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0)).map(({ functionName }) => functionName || '=>'),
          ] as const,
      )
      .filter(([, ran]) => ran.length > 0)
      .toSorted(([left], [right]) => left.localeCompare(right)),
  );
}

function slowClock(): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() / SLOWER_CLOCK;
}

async function main(): Promise<void> {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(workspace, 'package.json'), PACKAGE);
  await using hands = await createHands({ ...place, allow: ['write', 'exec'] });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = runMcpServer({ hands, name: 'synapse', version: '0', input, output });
  const client = connect(input, output);
  const clientInfo = { name: 'count-files', version: '0' };
  await client.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  client.send({ method: 'notifications/initialized' });
  const session = new Session();
  using _connection = { [Symbol.dispose]: () => session.disconnect() };
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const [name, { tool, arguments: given, maxFiles }] of Object.entries(CALLS)) {
    let round = 0;
    const call = async (): Promise<void> => {
      const { isError } = await client.request('tools/call', { name: tool, arguments: given(round) });
      round += 1;
      if (isError === true) throw new Error(`${name} failed.`);
      await new Promise((resolve) => setTimeout(resolve, AFTER_MS));
    };
    for (let warm = 0; warm < WARM_UPS; warm += 1) await call();
    await look(session);
    const calls: Ran[] = [];
    let counted: WarmCount;
    do {
      await call();
      calls.push(await look(session));
      counted = warmCount(name, calls, maxFiles);
    } while (!counted.isWithin && calls.length < MOST_TRIES);
    process.stdout.write(`${counted.line}\n`);
    if (process.argv.includes('--list')) for (const [file, names] of counted.ran) process.stdout.write(`  ${file}: ${names.join(' ')}\n`);
    if (!counted.isWithin) process.exitCode = 1;
  }
  input.end();
  await served;
}

try {
  slowClock();
  await main();
} finally {
  rmSync(root, { recursive: true, force: true });
}
