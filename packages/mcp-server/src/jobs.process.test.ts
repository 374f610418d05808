import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { createHands, type Hands } from '@synapse/hands';
import { WorkspaceJobs } from '@synapse/hands/internal';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runMcpHttpServer } from './run-mcp-server.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
const WAIT = { timeout: 60_000, interval: 20 };

let hands: Hands;
let jobs: WorkspaceJobs;
let url: URL;
let stop: () => Promise<void>;

beforeAll(async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-state-'));
  hands = await createHands({ workspace, stateFolder, sandbox: 'none', allow: ['exec'] });
  jobs = new WorkspaceJobs(stateFolder, hands.workspace);
  const ending = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const served = runMcpHttpServer({ hands, name: 'jobs', version: '1', token: TOKEN, port: 0, signal: ending.signal, onListening: resolve });
  url = new URL(await Promise.race([listening, served.then(() => '')]));
  stop = async () => {
    ending.abort();
    await served;
  };
});
afterAll(async () => {
  await stop();
  await hands[Symbol.asyncDispose]();
});

interface Connection extends AsyncDisposable {
  readonly transport: StreamableHTTPClientTransport;
  readonly call: (name: string, input: object) => Promise<string>;
}

async function connect(mode: VersionNegotiationMode): Promise<Connection> {
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } });
  await client.connect(transport);
  return {
    transport,
    call: async (name, input) => JSON.stringify((await client.callTool({ name, arguments: { ...input } })).content),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The id of the job that an answer names. */
const idIn = (answer: string): string => /job-[0-9a-f]{8}/u.exec(answer)?.[0] ?? '';

describe.each<[string, VersionNegotiationMode]>([
  ['2025', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s', (_, mode) => {
  it('starts a job, writes to it, reads it and waits for its end', async () => {
    await using client = await connect(mode);
    const id = idIn(await client.call('run_command', { command: 'while read -r line; do echo "got $line"; done', background: true }));
    expect(await client.call('job', { action: 'input', id, text: 'one' })).toContain('got one');
    await client.call('job', { action: 'input', id, eof: true });
    expect(await client.call('job', { action: 'wait', id })).toContain('exit code 0');
    expect(await client.call('job', { action: 'output', id, cursor: 0 })).toContain(String.raw`got one\n`);
  });

  it('gets the id of a command that takes long', async () => {
    await using client = await connect(mode);
    const id = idIn(await client.call('run_command', { command: 'read -r _ < /dev/null; sleep 0.5; echo late', yield_ms: 50 }));
    expect(await client.call('job', { action: 'wait', id })).toContain('late');
  });
});

it('a session that ends takes its jobs along, and no client has those of another', async () => {
  await using other = await connect('legacy');
  const client = await connect('legacy');
  const id = idIn(await client.call('run_command', { command: 'exec sleep 60', background: true }));
  expect(await other.call('job', { action: 'stop', id })).toContain('Job not found');
  expect(jobs.get(id).status).toBe('running');
  await client.transport.terminateSession();
  await client[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(jobs.get(id)).toMatchObject({ status: 'ended', ending: 'ended with its session' }), WAIT);
});
