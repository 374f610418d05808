import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { expectFailures, listedScenarios, requiredScenarios, runSuite, type ScenarioResult, type Suite } from './run-suite.ts';

const CLIENT = `node ${fileURLToPath(new URL('client.ts', import.meta.url))}`;
/** Each scenario starts a client: more at a time only wait for each other, and miss their deadlines. */
const AT_A_TIME = 2;

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

type Run = readonly [scenario: string, ...words: string[]];

async function runAll(suite: Suite, runs: readonly Run[]): Promise<Map<string, ScenarioResult>> {
  const waiting = [...runs];
  const results = new Map<string, ScenarioResult>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [scenario, ...more] = next;
      const words = ['--command', CLIENT, '--scenario', scenario, ...more];
      const [found] = (await runSuite({ suite, leg: 'client', words })).values();
      results.set(scenario, found ?? { failures: ['it was not run'], passed: 0 });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

it('passes the scenarios for clients of both revisions', async () => {
  const newer = await requiredScenarios('2026-07-28', 'client');
  expect(newer.length).toBeGreaterThan(25);
  const run =
    (revision: string) =>
    (scenario: string): Run => [scenario, '--spec-version', revision];
  expectFailures(await runAll('0.2', [...newer.map(run('2026-07-28')), ...OLDER.map(run('2025-11-25'))]), {});
}, 240_000);

it('passes the scenarios for clients of the older suite but those that do not apply', async () => {
  const scenarios = await listedScenarios('0.1', 'client');
  expect(scenarios.length).toBeGreaterThan(20);
  expectFailures(
    await runAll(
      '0.1',
      scenarios.map((scenario): Run => [scenario]),
    ),
    DO_NOT_APPLY,
  );
}, 240_000);
