import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startHttp } from '../e2e/start-http.ts';
import { withBearer } from './bearer.ts';
import { openFixtureServer } from './fixture-server.ts';

const SUITE = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const TOKEN = '0123456789abcdef0123456789abcdef';

/** Scenarios of the suite's server part. Another number means that the suite has changed and the table below with it. */
const SCENARIOS = 32;

/** What does not pass, and why it does not apply. One that passes must leave the table. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  'logging-set-level': 'Logging is not offered: it is deprecated since 2026-07-28, and the audit log is a resource.',
  'tools-call-with-logging': 'Logging is not offered.',
  'completion-complete': 'Completion is not offered: no prompt has an argument that could be completed.',
  'tools-call-audio': 'Results of hands are text, notes and images; no tool makes sound.',
  'tools-call-embedded-resource': 'Results of hands are text, notes and images; what is too long is read by its handle.',
  'tools-call-mixed-content': 'It wants an embedded resource beside text and image.',
  'tools-call-sampling': 'Sampling is deprecated since 2026-07-28, and hands never ask a model.',
  'elicitation-sep1034-defaults': 'A tool cannot put forms to a person: elicitation asks one thing, whether a call may run.',
  'elicitation-sep1330-enums': 'A tool cannot put forms to a person.',
  'json-schema-2020-12': 'It wants $schema and $defs in a list; 2020-12 is the default and is not said, and references are written out.',
  'resources-subscribe': 'Subscriptions are not offered; a resource is as new as its reading.',
  'resources-unsubscribe': 'Subscriptions are not offered.',
};

/** What any server must pass, whatever it serves: these run against the built command. */
const GENERAL = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
] as const;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** Runs the suite and gives what it found wrong, by scenario; nothing for one that passed. */
async function runSuite(url: string, words: readonly string[]): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-conformance-'));
  await new Promise<void>((resolve) => {
    // It exits with an error where a scenario failed; what counts is what it wrote.
    execFile(process.execPath, [SUITE, 'server', '--url', url, '-o', folder, ...words], { timeout: 110_000 }, () => resolve());
  });
  const results = new Map<string, string[]>();
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+?)-\d{4}-\d{2}-\d{2}T.*$/u.exec(name)?.[1] ?? name;
    const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    expect(checks.length, scenario).toBeGreaterThan(0);
    results.set(
      scenario,
      checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
    );
  }
  return results;
}

it('passes every scenario of the conformance suite but those that do not apply', async () => {
  await using server = await openFixtureServer(TOKEN);
  await using door = await withBearer(server.url, TOKEN);
  const results = await runSuite(door.url, ['--suite', 'all']);
  const failed = [...results].filter(([, problems]) => problems.length > 0);
  expect(
    failed.filter(([scenario]) => !Object.hasOwn(DO_NOT_APPLY, scenario)),
    'fails and is not in the table',
  ).toEqual([]);
  const names = new Set(failed.map(([scenario]) => scenario));
  expect(
    Object.keys(DO_NOT_APPLY).filter((scenario) => !names.has(scenario)),
    'is in the table and passes',
  ).toEqual([]);
  expect(results.size).toBe(SCENARIOS);
}, 120_000);

it.each(GENERAL)('synapse mcp --http passes %s', async (scenario) => {
  await using server = await startHttp();
  await using door = await withBearer(server.url, server.token);
  const results = await runSuite(door.url, ['--scenario', scenario]);
  expect([...results]).toEqual([[scenario, []]]);
});
