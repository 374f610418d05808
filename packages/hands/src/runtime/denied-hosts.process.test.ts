import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { networkLogFile, readNetworkLog } from '../sandbox/network/network-log.ts';
import { workspaceId } from '../state/state-folder.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

/** A server of this machine, and hands whose commands may reach it by its name and its address. */
async function open(policy: NonNullable<HandsOptions['policy']>, answer: 'allow' | 'deny' = 'deny') {
  const base = mkdtempSync(join(tmpdir(), 'synapse-denied-hosts-'));
  const [workspace, stateFolder] = ['workspace', 'state'].map((name) => join(base, name)) as [string, string];
  mkdirSync(workspace);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('reached\n');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  // What a command line names is asked about. What a script asks for, only the proxy sees.
  writeFileSync(
    join(workspace, 'ask.sh'),
    `curl -sS http://localhost:${port}/name; curl -sS -p -o - http://localhost:${port}/tunnel; curl -sS http://127.0.0.1:${port}/address\n`,
  );
  const asked: string[] = [];
  const hands = await createHands({
    workspace,
    stateFolder,
    configFolder: join(base, 'config'),
    allow: ['exec', 'write'],
    policy,
    network: { domains: [`localhost:${port}`, `127.0.0.1:${port}`] },
    approver: {
      name: 'test',
      ask: async ({ tool }) => {
        asked.push(tool);
        return answer === 'allow' ? { verdict: 'allow', scope: 'once' } : { verdict: 'deny' };
      },
    },
  });
  const log = () => readNetworkLog(networkLogFile(stateFolder, workspaceId(workspace)), 50);
  return { hands, seen, asked, log, url: `http://localhost:${port}` };
}

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript)('a rule that denies a host', () => {
  it('the control: without one, a script reaches it by name, by address and through a tunnel', async () => {
    const { hands, seen } = await open({});
    await using _hands = hands;
    await hands.call('run_command', { command: 'sh ./ask.sh' });
    expect(seen).toEqual(['GET /name', 'GET /tunnel', 'GET /address']);
  });

  it.each([
    ['fetch(localhost)', ['GET /address']],
    // A name that leads there is the same machine.
    ['fetch(127.0.0.1)', []],
    ['fetch', []],
    ['fetch(*)', []],
    ['fetch(other.example.com)', ['GET /name', 'GET /tunnel', 'GET /address']],
  ])('%s holds for what a script asks for, and the result names it', async (rule, expected) => {
    const { hands, seen, log } = await open({ deny: [rule] });
    const result = await hands.call('run_command', { command: 'sh ./ask.sh; exit 3' });
    await hands[Symbol.asyncDispose]();
    expect(seen).toEqual(expected);
    const refused = log().filter(({ outcome }) => outcome === 'refused');
    expect(refused.every(({ about }) => about === `denied by ${rule}`)).toBe(true);
    expect(refused.length > 0).toBe(expected.length < 3);
    if (expected.length < 3) expect(JSON.stringify(result)).toContain(`refused by a rule`);
  });

  it.each([
    ['allow', ['GET /name', 'GET /tunnel', 'GET /address']],
    ['deny', ['GET /address']],
  ] as const)('a rule that asks is asked about once for what a script names: %s', async (answer, expected) => {
    const { hands, seen, asked } = await open({ ask: ['fetch(localhost)'] }, answer);
    await using _hands = hands;
    await hands.call('run_command', { command: 'sh ./ask.sh' });
    expect(seen).toEqual(expected);
    expect(asked).toEqual(['run_command']);
  });

  it('what a person allowed by its name in the command line is not asked about again', async () => {
    const { hands, seen, asked, url } = await open({ ask: ['fetch(localhost)'] }, 'allow');
    await using _hands = hands;
    await hands.call('run_command', { command: `curl -sS ${url}/named` });
    expect(seen).toEqual(['GET /named']);
    expect(asked).toEqual(['run_command']);
  });
});
