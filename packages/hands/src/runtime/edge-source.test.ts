import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PolicyStore } from '../policy/policy-store.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { edgeSource } from './edge-source.ts';

/** A source with rules of a configuration. */
function sourceWith(settings: { readonly allow?: readonly string[]; readonly ask?: readonly string[]; readonly deny?: readonly string[] }) {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-edge-'));
  const clock = { now: 1_000 };
  const sources = [{ layer: 'user', origin: 'test', settings }] as const;
  const policy = new PolicyStore({ tools: new Set(), home: '/home/ada', roots: ['/ws'], sources, now: () => clock.now });
  const source = edgeSource({ secrets: new SecretStore(folder), hasSecrets: () => false, policy, onSecrets: () => {} });
  return { policy, source, clock };
}

const HOST = 'api.example.com';

it('only an answer of a person opens requests, not a rule of a configuration', () => {
  const { policy, source, clock } = sourceWith({ allow: [`fetch(${HOST} POST /a)`] });
  expect(source.granted?.()).toEqual([]);
  policy.remember(
    { kind: 'exact', rules: [`fetch(${HOST} POST /a)`, `fetch(www.example.com * /**)`], covers: [], doesNotCover: [] },
    'run_command',
    'project',
  );
  const granted = source.granted?.() ?? [];
  const covers = (host: string, method: string, path: string): boolean => granted.some((one) => one.isAbout(host) && one.covers(method, path));
  expect([covers(HOST, 'POST', '/a'), covers(HOST, 'POST', '/b'), covers(HOST, 'GET', '/a')]).toEqual([true, false, false]);
  expect(granted.map(({ isWhole }) => isWhole)).toEqual([false, true]);
  clock.now += 31 * 24 * 60 * 60 * 1_000;
  expect(source.granted?.()).toEqual([]);
});

it('a host that a rule denies is not asked about, one that a rule asks about is', () => {
  const { source } = sourceWith({ ask: ['fetch(*.example.com)'], deny: ['fetch(evil.example.com)'] });
  expect(['api.example.com', 'evil.example.com', 'other.org'].map((host) => source.asksAbout?.(host))).toEqual([true, false, false]);
  expect(source.deniedBy?.('api.example.com', new Set(['api.example.com']))).toBeUndefined();
  expect(source.deniedBy?.('evil.example.com', new Set(['evil.example.com']))).toBe('fetch(evil.example.com)');
});
