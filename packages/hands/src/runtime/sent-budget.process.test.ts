import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { createHands } from './create-hands.ts';

const LIMIT = 64 * 1024;

/** A server that counts what it gets, and hands whose commands may send it 64 KiB. */
async function open(rule: (port: number) => string) {
  const base = mkdtempSync(join(tmpdir(), 'synapse-sent-'));
  const [workspace = '', configFolder = ''] = ['workspace', 'config'].map((name) => join(base, name));
  for (const folder of [workspace, configFolder]) mkdirSync(folder);
  writeFileSync(join(configFolder, 'config.jsonc'), JSON.stringify({ network: { maxSentMiB: LIMIT / 2 ** 20 } }));
  writeFileSync(join(workspace, 'small'), 'x'.repeat(LIMIT / 2));
  writeFileSync(join(workspace, 'large'), 'x'.repeat(4 * LIMIT));
  const got = { bytes: 0, requests: 0 };
  const server = createServer((request, response) => {
    got.requests += 1;
    got.bytes += request.url?.length ?? 0;
    request.on('data', (chunk: Buffer) => (got.bytes += chunk.length));
    request.on('end', () => response.end('taken\n')).on('error', () => {});
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hands = await createHands({
    workspace,
    configFolder,
    stateFolder: join(base, 'state'),
    allow: ['exec', 'write'],
    network: { domains: [rule(port)] },
  });
  const run = async (command: string): Promise<string> =>
    JSON.stringify(await hands.call('run_command', { command: `U=http://localhost:${port}; ${command}` }));
  return { hands, got, run };
}

const SENTENCE = /a command sends at most 0\.1 MiB to other machines; a person raises network\.maxSentMiB/u;

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript).each([
  ['through the proxy', (port: number) => `localhost:${port}`, ''],
  ['through a tunnel', (port: number) => `localhost:${port}`, '-p'],
  ['with rules about requests', (port: number) => `localhost:${port} * /**`, ''],
  ['with rules about requests, in a tunnel', (port: number) => `localhost:${port} * /**`, '-p'],
] as const)('what a command sends %s', (_, rule, way) => {
  it('is taken up to a limit, for each command', async () => {
    const { hands, got, run } = await open(rule);
    await using _hands = hands;
    for (let times = 0; times < 3; times += 1) expect(await run(`curl -sS ${way} -T small $U/a`)).toContain('taken');
    expect(got).toMatchObject({ requests: 3 });
    expect(got.bytes).toBeGreaterThan(LIMIT);
  });

  it.each([
    ['in one body', 'curl -sS -f $W -H Expect: -T large $U/a'],
    ['in a body of unknown length', 'cat large | curl -sS -f $W -H Expect: -T - $U/a'],
    ['in many requests', 'for i in 1 2 3 4 5 6 7 8; do curl -sS -f $W -T small $U/a || exit 22; done'],
    ['in addresses', 'q=$(head -c 6000 large); for i in $(seq 30); do curl -sS -f $W $U/a?$q || exit 22; done'],
    ['in headers', 'q=$(head -c 6000 large); for i in $(seq 30); do curl -sS -f $W -H "X: $q" $U/a || exit 22; done'],
  ])('is ended beyond it, and said in one sentence: %s', async (_how, command) => {
    const { hands, got, run } = await open(rule);
    await using _hands = hands;
    const result = await run(`W=${way}; ${command}`);
    expect(result).toMatch(SENTENCE);
    expect(result).toMatch(/"exit_code":[1-9]/u);
    expect(got.bytes).toBeLessThan(LIMIT + 1);
  });
});
