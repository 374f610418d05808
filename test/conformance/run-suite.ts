import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const installed = (name: string): string => fileURLToPath(new URL(`../../node_modules/${name}/dist/index.js`, import.meta.url));

/** The official suites, by version. */
export const SUITES = { '0.1': installed('@modelcontextprotocol/conformance'), '0.2': installed('conformance-0.2') } as const;
export type Suite = keyof typeof SUITES;

/** Which part of a suite to run, and the arguments. */
export interface SuiteRun {
  readonly suite: Suite;
  readonly leg: 'server' | 'client';
  readonly words: readonly string[];
  /** That of the test: a suite ends with it. */
  readonly signal: AbortSignal;
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** The result of a scenario. */
export interface ScenarioResult {
  readonly failures: readonly string[];
  /** Number of passed checks; without one, nothing was tested. */
  readonly passed: number;
}

/**
 * Runs a suite and returns the result of each scenario. At the end of the test's time it is killed with all that it started, and throws:
 * what it wrote so far is no result.
 */
export async function runSuite({ suite, leg, words, signal }: SuiteRun): Promise<Map<string, ScenarioResult>> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-conformance-'));
  signal.throwIfAborted();
  // A group of its own, so that the clients which it starts are killed too.
  const child = spawn(process.execPath, [SUITES[suite], leg, ...words, '-o', folder], { detached: true, stdio: 'ignore' });
  const kill = (): void => void process.kill(-(child.pid ?? 0), 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    // It fails if a scenario fails; only the files it wrote count.
    await once(child, 'close');
  } finally {
    signal.removeEventListener('abort', kill);
  }
  signal.throwIfAborted();
  const results = new Map<string, ScenarioResult>();
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('checks.json')) continue;
    const scenario = dirname(name)
      .replace(/^server-/u, '')
      .replace(/-\d{4}-\d{2}-\d{2}T[^/]*$/u, '');
    const checks = JSON.parse(await readFile(join(folder, name), 'utf8')) as Check[];
    expect(checks.length, scenario).toBeGreaterThan(0);
    // Only a client has one: why it ended early.
    const said = await readFile(join(folder, dirname(name), 'stderr.txt'), 'utf8').catch(() => '');
    results.set(scenario, {
      failures: checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage = said.trim() }) => `${id}: ${errorMessage}`),
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
    });
  }
  await rm(folder, { recursive: true });
  return results;
}

/** Returns the scenarios that a revision of MCP requires, as listed by the suite. */
export async function requiredScenarios(revision: string, leg: 'server' | 'client'): Promise<string[]> {
  const text = await readFile(join(dirname(SUITES['0.2']), '../requirements', `${revision}.yaml`), 'utf8');
  const [, list = ''] = new RegExp(String.raw`^${leg}:\n((?:\s+-.*\n|\s*#.*\n|\s*\n)*)`, 'mu').exec(text) ?? [];
  return [...list.matchAll(/^\s+- (\S+)/gmu)].map(([, scenario = '']) => scenario);
}

/** Returns the scenarios of a suite. */
export async function listedScenarios(suite: Suite, leg: 'server' | 'client'): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITES[suite], 'list', `--${leg}`]);
  return [...stdout.matchAll(/^\s+- (\S+)/gmu)].map(([, scenario = '']) => scenario);
}

/** Compares failures with a table of exceptions: nothing else may fail, and no listed scenario may pass. */
export function expectFailures(results: ReadonlyMap<string, ScenarioResult>, excused: Readonly<Record<string, string>>): void {
  const failed = [...results].filter(([, { failures, passed }]) => failures.length > 0 || passed === 0);
  expect(
    failed.filter(([scenario]) => !Object.hasOwn(excused, scenario)),
    'fails and is not in the table',
  ).toEqual([]);
  const names = new Set(failed.map(([scenario]) => scenario));
  expect(
    Object.keys(excused).filter((scenario) => !names.has(scenario)),
    'is in the table and passes',
  ).toEqual([]);
}
