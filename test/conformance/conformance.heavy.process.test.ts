import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startHttp } from '../e2e/start-http.ts';
import { withBearer } from './bearer.ts';
import { openFixtureServer } from './fixture-server.ts';
import { expectFailures, requiredScenarios, runSuite } from './run-suite.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

/** Scenarios of the suite's server part. Another number means that the suite has changed and the table below with it. */
const SCENARIOS = 32;

/** Scenarios that a revision does not score. */
const PENDING: ReadonlySet<string> = new Set(['server-sse-polling']);
/** Scenarios about what tools ask for. */
const INPUT_REQUIRED = ['basic-elicitation', 'basic-list-roots', 'basic-sampling', 'capability-check', 'multiple-input-requests', 'non-tool-request'];

/** What does not pass, and why it does not apply. One that passes must leave the table. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  'logging-set-level': 'Logging is not offered: it is deprecated since 2026-07-28, and the audit log is a resource.',
  'tools-call-with-logging': 'Logging is not offered.',
  'tools-call-audio': 'Results of hands are text, notes and images; no tool makes sound.',
  'tools-call-embedded-resource': 'Results of hands are text, notes and images; what is too long is read by its handle.',
  'tools-call-mixed-content': 'It wants an embedded resource beside text and image.',
  'tools-call-sampling': 'Sampling is deprecated since 2026-07-28, and hands never ask a model.',
  'resources-subscribe': 'Of our own resources none can be watched: each is as new as its reading. Those of servers behind this one can.',
  'resources-unsubscribe': 'Of our own resources none can be watched.',
  'server-sse-polling': 'No stream is closed before its answer; the suite then checks nothing.',
};

/** Scenarios that hold for the older revision alone. */
const OLDER_ONLY = /^(?:logging|resources|elicitation|tools-call-(?:with-logging|sampling))/u;
const reasons = (keep: (scenario: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(DO_NOT_APPLY).filter(([scenario]) => !PENDING.has(scenario) && keep(scenario)));

const OTHER_INPUTS =
  'The suite wants inputs under names of its own, or roots, or a model; a question here has one name, and those two are not asked for.';

/** What a revision requires and does not apply, and why. */
const REVISIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '2025-11-25': reasons(() => true),
  '2026-07-28': {
    ...reasons((scenario) => !OLDER_ONLY.test(scenario)),
    'server-stateless': 'Its last checks call tools that ask for a model or write logs.',
    ...Object.fromEntries(INPUT_REQUIRED.map((scenario) => [`input-required-result-${scenario}`, OTHER_INPUTS])),
  },
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

it('passes every scenario of the older suite but those that do not apply', async ({ signal }) => {
  await using server = await openFixtureServer(TOKEN);
  await using door = await withBearer(server.url, TOKEN);
  const results = await runSuite({ suite: '0.1', leg: 'server', words: ['--url', door.url, '--suite', 'all'], signal });
  expectFailures(results, DO_NOT_APPLY);
  expect(results.size).toBe(SCENARIOS);
}, 120_000);

it.for(Object.keys(REVISIONS))(
  'passes what revision %s requires of servers but what does not apply',
  { timeout: 120_000 },
  async (revision, { signal }) => {
    await using server = await openFixtureServer(TOKEN);
    await using door = await withBearer(server.url, TOKEN);
    const required = new Set(await requiredScenarios(revision, 'server'));
    expect(required.size).toBeGreaterThan(25);
    const results = await runSuite({ suite: '0.2', leg: 'server', words: ['--url', door.url, '--requirements', revision], signal });
    expectFailures(new Map([...results].filter(([scenario]) => required.has(scenario))), REVISIONS[revision] ?? {});
  },
);

it.for(GENERAL)('synapse mcp --http passes %s', async (scenario, { signal }) => {
  await using server = await startHttp();
  await using door = await withBearer(server.url, server.token);
  const results = await runSuite({ suite: '0.1', leg: 'server', words: ['--url', door.url, '--scenario', scenario], signal });
  expect([...results]).toMatchObject([[scenario, { failures: [] }]]);
});

it('a suite ends with the time of its test, and what it wrote so far is no result', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const ended = new AbortController();
  // It never answers.
  const asked = once(server, 'request');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const run = runSuite({ suite: '0.1', leg: 'server', words: ['--url', url, '--scenario', 'ping'], signal: ended.signal });
  const failed = run.then(
    () => undefined,
    (error: unknown) => error,
  );
  const [request] = (await asked) as [{ readonly socket: NodeJS.ReadableStream }];
  const closed = once(request.socket, 'close');
  ended.abort(new Error('out of time'));
  expect(await failed).toMatchObject({ message: 'out of time' });
  // Killed, not left alone.
  await closed;
});
