import { expect, it } from 'vitest';
import { testPolicy } from './fixtures/test-policy.ts';
import { hostGuard } from './host-guard.ts';

const TIMED = 5_000;
const settings = {
  allow: ['fetch(nodejs.org)', 'fetch(localhost)', { rule: 'fetch(intra.example)', guarded: true }, { rule: 'fetch(127.0.0.1)', expiresAt: TIMED }],
  ask: ['fetch(asked.example)'],
  deny: ['fetch(evil.io)'],
};
const guard = (now = 0, permissions: Parameters<typeof hostGuard>[0]['permissions'] = [{ action: 'net', resource: 'https://start.example/a' }]) =>
  hostGuard({ tool: 'fetch_url', permissions }, testPolicy(settings, { now: () => now }));

it.each([
  ['https://start.example/b', undefined],
  ['http://START.example.:8080/', undefined],
  ['https://docs.nodejs.org/', undefined],
  ['https://below.start.example/', 'mode "ask"'],
  ['https://asked.example/', 'asked.example'],
  ['https://evil.io/', 'evil.io'],
  ['https://start.example@evil.io/', 'mode "ask"'],
  ['nonsense://', 'mode "ask"'],
])('a call that was judged for one host goes to %s: %s', (url, reason) => {
  const refusal = guard().refusal(url);
  if (reason === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toContain(reason);
});

it('takes no file or command for a host', () => {
  const elsewhere = guard(0, [
    { action: 'read', resource: 'start.example' },
    { action: 'exec', resource: 'start.example' },
  ]);
  expect(elsewhere.refusal('https://start.example/')).toBeDefined();
});

it.each([
  ['localhost', 0, true],
  ['app.localhost', 0, true],
  ['intra.example', 0, true],
  ['nodejs.org', 0, false],
  ['start.example', 0, false],
  ['127.0.0.1', TIMED - 1, true],
  ['127.0.0.1', TIMED, false],
  ['127.0.0.2', 0, false],
])('%s is opened on this machine and its networks at %i: %s', (host, now, expected) => {
  expect(guard(now).opensLocal(host)).toBe(expected);
});
