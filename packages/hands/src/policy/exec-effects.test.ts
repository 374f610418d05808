import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PolicyCall } from './decision.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { proposeGrants } from './grant.ts';
import { installedProgram } from './exec-effects.ts';
import { hasInstalled } from './has-installed.ts';

it.each([
  ['npx vitest run a', 'vitest run a'],
  ['npx --no-install vitest', 'vitest'],
  ['npx -y -- vitest run', 'vitest run'],
  ['npm exec vitest -- run', 'vitest -- run'],
  ['npm x vitest', 'vitest'],
  ['pnpm exec vitest run', 'vitest run'],
  ['yarn exec vitest', 'vitest'],
  ['bunx --bun vitest', 'vitest'],
  ['npx vitest@3 run', undefined],
  ['npx @scope/tool', undefined],
  ['npx ./vitest', undefined],
  ['npx -p evil vitest', undefined],
  ['npx --package=evil vitest', undefined],
  ['npx -c vitest', undefined],
  ['npx', undefined],
  ['npm test vitest', undefined],
  ['vitest run', undefined],
])('%s starts %s', (command, expected) => {
  const words = command.split(' ');
  expect(installedProgram(words[0] ?? '', words)?.words.join(' ')).toBe(expected);
});

const place = (names: readonly string[]): Partial<PolicyCall> => ({
  confined: true,
  machine: { sandbox: 'works', transacts: true, network: false, hasInstalled: (name) => names.includes(name) },
});

it.each([
  ['npx vitest run', ['vitest'], 'allow'],
  ['npx vitest run && npx vitest', ['vitest'], 'allow'],
  // Downloaded, and then it is not what the rule is about.
  ['npx vitest run', [], 'ask'],
  ['npx vitest@1 run', ['vitest'], 'ask'],
  ['npx -p evil vitest', ['vitest'], 'ask'],
  ['PATH=. npx vitest', ['vitest'], 'ask'],
  ['sudo npx vitest', ['vitest'], 'ask'],
  ['npx jest', ['jest', 'vitest'], 'ask'],
  ['npx vitest > .git/hooks/x', ['vitest'], 'ask'],
] as const)('%s under a rule for vitest, where %j are installed: %s', (command, installed, verdict) => {
  expect(decideCommand(testPolicy({ allow: ['exec(vitest *)'] }), command, place(installed)).verdict).toBe(verdict);
});

it('is denied by rules about npx and about what it runs', () => {
  for (const rule of ['exec(npx *)', 'exec(vitest *)'])
    expect(decideCommand(testPolicy({ mode: 'trusted', deny: [rule] }), 'npx vitest run', place(['vitest'])).verdict).toBe('deny');
});

it('is what "always" offers a rule for, on any file', () => {
  const rules = (command: string, installed: readonly string[]): string[][] =>
    proposeGrants(testPolicy(), { tool: 'run_command', permissions: [{ action: 'exec', resource: command }], ...place(installed) }).map((one) => [
      ...one.rules,
    ]);
  expect(rules('npx vitest run src/a.test.ts', ['vitest'])).toEqual([['exec(npx vitest run src/a.test.ts)'], ['exec(vitest *)']]);
  expect(rules('npx vitest run src/a.test.ts', [])).toEqual([['exec(= npx vitest run src/a.test.ts)']]);
  expect(rules('npx tsx a.ts', ['tsx'])).toEqual([['exec(npx tsx a.ts)']]);
});

it('is looked for in the folder of the command and above it, never above the workspace', () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-installed-'));
  try {
    const root = join(base, 'workspace');
    for (const [folder, name] of [
      [base, 'outside'],
      [root, 'vitest'],
      [join(root, 'packages/a'), 'eslint'],
    ] as const) {
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      writeFileSync(join(folder, 'node_modules/.bin', name), '');
    }
    expect(hasInstalled(root, '', 'vitest')).toBe(true);
    expect(hasInstalled(root, 'packages/a', 'vitest')).toBe(true);
    expect(hasInstalled(root, 'packages/a', 'eslint')).toBe(true);
    expect(hasInstalled(root, '', 'eslint')).toBe(false);
    expect(hasInstalled(root, '', 'outside')).toBe(false);
    expect(hasInstalled(root, '..', 'outside')).toBe(false);
    // As npm links it; a link out of the workspace, of the program or of the folder, leads to another one.
    symlinkSync('../../packages/a/node_modules/.bin/eslint', join(root, 'node_modules/.bin/linked'));
    symlinkSync(join(base, 'node_modules/.bin/outside'), join(root, 'node_modules/.bin/away'));
    mkdirSync(join(root, 'packages/b/node_modules'), { recursive: true });
    symlinkSync(join(base, 'node_modules/.bin'), join(root, 'packages/b/node_modules/.bin'));
    expect(['linked', 'away'].map((name) => hasInstalled(root, '', name))).toEqual([true, false]);
    expect(hasInstalled(root, 'packages/b', 'outside')).toBe(false);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
