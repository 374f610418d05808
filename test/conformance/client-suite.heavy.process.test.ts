import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFailures, listedScenarios, requiredScenarios, runSuite, type ScenarioResult } from './run-suite.ts';

/** For those that wait for others: the host of the clients gives each its own time. */
const TIMEOUT = ['--timeout', '220000'];

/** Scenarios of the older revision that the newer one has not. */
const OLDER = ['initialize', 'elicitation-sep1034-client-defaults', 'sse-retry'];

/** What does not pass of the older suite, and why. One that passes must leave the table. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'Its metadata names an issuer of another path than the one it is read for: RFC 8414 (3.3) has that refused, and it is.',
  'auth/client-credentials-jwt': 'An extension: no person logs in. Logins here are those of a person, in a browser.',
  'auth/client-credentials-basic': 'An extension: no person logs in.',
  'auth/cross-app-access-complete-flow': 'An extension: the login of a company for its people, by tokens that it exchanges.',
};

let folder: string;
let host: ChildProcess;
let command: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synapse-clients-'));
  const socket = join(folder, 'socket');
  host = fork(fileURLToPath(new URL('client-host.ts', import.meta.url)), [socket], { execArgv: [] });
  await once(host, 'message');
  command = ['--command', `node ${fileURLToPath(new URL('ask-host.mjs', import.meta.url))} ${socket}`, ...TIMEOUT];
});

afterAll(async () => {
  const ended = once(host, 'exit');
  host.disconnect();
  await ended;
});

/** Each of the scenarios: one that the suite did not run has failed. */
function resultsOf(scenarios: readonly string[], found: ReadonlyMap<string, ScenarioResult>): Map<string, ScenarioResult> {
  return new Map(scenarios.map((scenario) => [scenario, found.get(scenario) ?? { failures: ['it was not run'], passed: 0 }]));
}

it('passes the scenarios for clients of both revisions', async ({ signal }) => {
  const newer = await requiredScenarios('2026-07-28', 'client');
  expect(newer.length).toBeGreaterThan(25);
  const found = await runSuite({ suite: '0.2', leg: 'client', words: [...command, '--requirements', '2026-07-28'], signal });
  for (const scenario of OLDER) {
    const words = [...command, '--scenario', scenario, '--spec-version', '2025-11-25'];
    for (const [name, result] of await runSuite({ suite: '0.2', leg: 'client', words, signal })) found.set(name, result);
  }
  expectFailures(resultsOf([...newer, ...OLDER], found), {});
}, 240_000);

it('passes the scenarios for clients of the older suite but those that do not apply', async ({ signal }) => {
  const scenarios = await listedScenarios('0.1', 'client');
  expect(scenarios.length).toBeGreaterThan(20);
  const found = await runSuite({ suite: '0.1', leg: 'client', words: [...command, '--suite', 'all'], signal });
  expectFailures(resultsOf(scenarios, found), DO_NOT_APPLY);
}, 240_000);
