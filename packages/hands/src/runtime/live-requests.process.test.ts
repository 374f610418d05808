import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { createHands } from './create-hands.ts';
import type { HandsOptions } from './hands-options.ts';

/** A server of this machine, and hands whose commands may only read from it. */
async function open(answer: ApprovalAnswer | undefined, policy: NonNullable<HandsOptions['policy']> = {}, rule = ' GET /**') {
  const base = mkdtempSync(join(tmpdir(), 'synapse-live-'));
  const workspace = join(base, 'workspace');
  mkdirSync(workspace);
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    response.end('reached\n');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => void server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const asked: ApprovalRequest[] = [];
  const hands = await createHands({
    workspace,
    stateFolder: join(base, 'state'),
    configFolder: join(base, 'config'),
    allow: ['exec', 'write'],
    policy,
    network: { domains: [`localhost:${port}${rule}`] },
    ...(answer === undefined ? {} : { approver: { name: 'test', ask: async (request) => (asked.push(request) > 0 ? answer : answer) } }),
  });
  return { hands, seen, asked, host: `localhost:${port}` };
}

describe.skipIf((await findBubblewrap()) === undefined || !process.features.typescript)('a request that no rule allows', () => {
  const send = (host: string): string => `h=${host}; curl -sS http://$h/a; curl -sS -d x http://$h/b; curl -sS -d x http://$h/b`;

  it('is asked about once while the command runs, and the result says that it waited', async () => {
    const { hands, seen, asked, host } = await open({ verdict: 'allow', scope: 'once' });
    await using _hands = hands;
    const result = await hands.call('run_command', { command: send(host) });
    expect(seen).toEqual(['GET /a', 'POST /b', 'POST /b']);
    expect(asked.map(({ tool, effects, reason }) => [tool, effects, reason])).toEqual([
      ['run_command', [`runs, and waits with a request: POST ${host}/b`], 'the network of this command is not open to it'],
    ]);
    expect(JSON.stringify(result)).toMatch(
      /A person allowed POST localhost:\d+\/b\. The command waited [\d.]+ s for that, which its time-out does not count\./u,
    );
  });

  it.each([
    ['a no', { verdict: 'deny' }, /A person refused POST/u],
    ['no answer', { verdict: 'later' }, /The question about POST localhost:\d+\/b was not answered\./u],
  ] as const)('is refused after %s, which is not asked for again', async (_, answer, said) => {
    const { hands, seen, asked, host } = await open(answer);
    await using _hands = hands;
    const text = JSON.stringify(await hands.call('run_command', { command: send(host) }));
    expect(seen).toEqual(['GET /a']);
    expect(asked).toHaveLength(1);
    expect(text).toMatch(said);
    expect(text).toContain(`a person allows it with --network \\"${host} POST /b\\"`);
  });

  it('is refused at once without a person, with the rule that would allow it', async () => {
    const { hands, seen, host } = await open(undefined);
    await using _hands = hands;
    const text = JSON.stringify(await hands.call('run_command', { command: send(host) }));
    expect(seen).toEqual(['GET /a']);
    expect(text).toContain(`a person allows it with --network \\"${host} POST /b\\"`);
  });

  it('or that a rule asks about, is asked about; one that a rule denies is not', async () => {
    const policy = { ask: ['fetch(localhost POST /**)'], deny: ['fetch(localhost PUT /**)'] };
    const { hands, seen, asked, host } = await open({ verdict: 'allow', scope: 'once' }, policy, '');
    await using _hands = hands;
    const result = await hands.call('run_command', { command: `${send(host)}; curl -sS -X PUT http://$h/c; true` });
    expect(seen).toEqual(['GET /a', 'POST /b', 'POST /b']);
    expect(asked.map(({ reason }) => reason)).toEqual(['the rule fetch(localhost POST /**) asks about it']);
    expect(JSON.stringify(result)).toContain('by the rule fetch(localhost PUT /**)');
  });
});
