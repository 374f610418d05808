import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, median, type Timing } from '../measure.ts';
import { megabytes, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const GROUP = 'MCP over HTTP, against a bare HTTP server that parses and answers JSON-RPC';
const TOKEN = 'bench-bench-bench-bench-bench-bench-bench';
const MIN_SHARE = 0.4;
/** Number of calls before the memory is measured, and again for its growth; and the maximum growth in bytes. */
const MEMORY_CALLS = 20_000;
const MAX_GROWTH = 32 * 1024 * 1024;

interface HttpServer extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly call: () => Promise<void>;
}

async function openHttp(kind: string, { folder, state }: Scratch): Promise<HttpServer> {
  const server = fileURLToPath(new URL('../servers/http.ts', import.meta.url));
  const child = spawn(process.execPath, [server, kind, folder, join(state, `http-${kind}`), TOKEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = line.toString().trim();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: Record<string, string> = {};
  let id = 0;
  const post = (body: object): Promise<{ readonly text: string; readonly session: string | undefined }> => {
    const { promise, resolve, reject } = Promise.withResolvers<{ text: string; session: string | undefined }>();
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...session,
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      const given = response.headers['mcp-session-id'];
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ text, session: typeof given === 'string' ? given : undefined }));
    });
    sent.on('error', reject).end(JSON.stringify(body));
    return promise;
  };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello });
  session = { 'mcp-session-id': begun.session ?? '', 'mcp-protocol-version': '2025-11-25' };
  return {
    child,
    call: async () => {
      const { text } = await post({ jsonrpc: '2.0', id: (id += 1), method: 'tools/call', params: { name: 'echo', arguments: {} } });
      if (!text.includes('xxx')) throw new Error(`HTTP: ${text.slice(0, 300)}`);
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      child.kill();
      await once(child, 'exit');
    },
  };
}

const memory = ({ pid }: ChildProcess): number => Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
const many = async (call: () => Promise<void>, count: number): Promise<void> => void (await Promise.all(Array.from({ length: count }, call)));
const rate = ({ means }: Timing, count: number): number => (1000 * count) / median(means);

/** Measures calls in one session, and the memory they leave. */
export async function httpCases(scratch: Scratch): Promise<Row[]> {
  await using ours = await openHttp('synapse', scratch);
  await using raw = await openHttp('raw', scratch);
  const rows: Row[] = [];
  for (const inFlight of [1, 16, 64]) {
    const [mine, peer] = await measure(
      [
        { name: 'ours', run: () => many(ours.call, inFlight) },
        { name: 'raw', run: () => many(raw.call, inFlight) },
      ],
      { rounds: 7, perRound: Math.ceil(800 / inFlight), warmUp: Math.ceil(1_500 / inFlight) },
    );
    if (mine === undefined || peer === undefined) continue;
    const share = median(mine.means.map((mean, round) => (peer.means[round] ?? Number.NaN) / mean));
    rows.push({
      group: GROUP,
      what: `calls a second, ${inFlight} in flight`,
      ours: rate(mine, inFlight).toFixed(0),
      peer: rate(peer, inFlight).toFixed(0),
      compared: `${share.toFixed(2)}×`,
      target: `≥ ${MIN_SHARE}×`,
      met: share >= MIN_SHARE,
    });
  }
  for (let count = 0; count < MEMORY_CALLS; count += 64) await many(ours.call, 64);
  const before = memory(ours.child);
  for (let count = 0; count < MEMORY_CALLS; count += 64) await many(ours.call, 64);
  const grown = memory(ours.child) - before;
  rows.push({
    group: GROUP,
    what: `memory after ${MEMORY_CALLS.toLocaleString('en')} further calls of 2 KB`,
    ours: `+${megabytes(grown)}`,
    peer: `${megabytes(memory(ours.child))} in all`,
    compared: '',
    target: `≤ +${megabytes(MAX_GROWTH)}`,
    met: grown <= MAX_GROWTH,
  });
  return rows;
}
