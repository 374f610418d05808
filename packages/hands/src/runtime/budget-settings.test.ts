import { expect, it } from 'vitest';
import type { PolicyFile } from '../policy/load-policy.ts';
import { readBudgets } from './budget-settings.ts';

const GIB = 2 ** 30;
const file = (text: string, layer: PolicyFile['layer'] = 'user', trusted = false): PolicyFile => ({ layer, label: 'config.jsonc', text, trusted });

it('reads budgets, the first file counts, and a project only once it is trusted', () => {
  const mine = file('{ "caches": { "maxGiB": 1, } }');
  const project = (trusted: boolean) => file('{ "caches": { "maxGiB": 9, "buildOutputMaxGiB": 0.5 } }', 'project', trusted);
  expect(readBudgets([file('{}')])).toEqual({});
  expect(readBudgets([mine, project(false)])).toEqual({ cacheBytes: GIB });
  expect(readBudgets([mine, project(true)])).toEqual({ cacheBytes: GIB, outputBytes: GIB / 2 });
});

it.each(['[]', '5', '{ "maxGib": 5 }', '{ "maxGiB": "5" }', '{ "maxGiB": -1 }'])('refuses %s', (caches) => {
  expect(() => readBudgets([file(`{ "caches": ${caches} }`)])).toThrow(/config\.jsonc: "caches" must be an object such as/u);
});

it('reads how much a command sends, beside the others', () => {
  expect(readBudgets([file('{ "caches": { "maxGiB": 1 }, "network": { "maxSentMiB": 0.5 } }')])).toEqual({ cacheBytes: GIB, sentBytes: 2 ** 19 });
  expect(readBudgets([file('{ "network": { "maxSentMiB": 9 } }', 'project')])).toEqual({});
});

it.each(['[]', '5', '{ "maxSent": 5 }', '{ "maxSentMiB": "5" }', '{ "maxSentMiB": -1 }'])('refuses %s for the network', (network) => {
  expect(() => readBudgets([file(`{ "network": ${network} }`)])).toThrow(/config\.jsonc: "network" must be an object such as/u);
});
