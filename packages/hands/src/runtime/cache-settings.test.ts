import { expect, it } from 'vitest';
import type { PolicyFile } from '../policy/load-policy.ts';
import { readCacheBudgets } from './cache-settings.ts';

const GIB = 2 ** 30;
const file = (text: string, layer: PolicyFile['layer'] = 'user', trusted = false): PolicyFile => ({ layer, label: 'config.jsonc', text, trusted });

it('reads budgets, the first file counts, and a project only once it is trusted', () => {
  const mine = file('{ "caches": { "maxGiB": 1, } }');
  const project = (trusted: boolean) => file('{ "caches": { "maxGiB": 9, "buildOutputMaxGiB": 0.5 } }', 'project', trusted);
  expect(readCacheBudgets([file('{}')])).toEqual({});
  expect(readCacheBudgets([mine, project(false)])).toEqual({ cacheBytes: GIB });
  expect(readCacheBudgets([mine, project(true)])).toEqual({ cacheBytes: GIB, outputBytes: GIB / 2 });
});

it.each(['[]', '5', '{ "maxGib": 5 }', '{ "maxGiB": "5" }', '{ "maxGiB": -1 }'])('refuses %s', (caches) => {
  expect(() => readCacheBudgets([file(`{ "caches": ${caches} }`)])).toThrow(/config\.jsonc: "caches" must be an object such as/u);
});
