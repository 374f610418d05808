import { describe, expect, it } from 'vitest';
import type { CommandEnvironment, CommandWish } from './command-route.ts';
import { decide } from './decide.ts';
import { explain, explanationText } from './explain.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { MODES, type Mode } from './modes.ts';

const MACHINE: CommandEnvironment = { sandbox: 'works', transacts: true, network: false };
const WISH: CommandWish = { live: () => undefined, asksFirst: 'none' };

function decided(mode: Mode, command: string, machine: Partial<CommandEnvironment> = {}, wish: Partial<CommandWish> = {}, rules = {}) {
  const call = { machine: { ...MACHINE, ...machine }, wish: { ...WISH, ...wish }, confined: (machine.sandbox ?? 'works') === 'works' };
  return decideCommand(testPolicy({ mode, ...rules }), command, call);
}

// One column a mode: - deny, ? ask, + allow, * allow because what it changes is asked about.
describe.each<[string, string, Partial<CommandEnvironment>, Partial<CommandWish>]>([
  ['git log --oneline -5', '***+', {}, {}],
  ['git log -- .vscode', '****', {}, {}],
  ['cat /tmp/out.txt', '***+', {}, {}],
  ['cat .env', '????', {}, {}],
  // The sandbox shows what every program may read, and nothing else is there.
  ['cat /etc/hosts', '***+', {}, {}],
  ['cat ../other/x | head', '***+', {}, {}],
  ['cat /etc/shadow', '????', {}, {}],
  ['cat /etc/hosts', '-???', { sandbox: 'given up' }, {}],
  ['npm test', '-**+', {}, {}],
  ['rm -rf dist', '-**+', {}, {}],
  ['npm test > /tmp/out.txt 2>&1; tail /tmp/out.txt', '-**+', {}, {}],
  ['git reset --hard', '-**+', {}, {}],
  ['git add .vscode', '-**+', {}, {}],
  ['[[ -f a ]] && make', '-**+', {}, {}],
  ['echo > .git/hooks/x', '-???', {}, {}],
  ['npm test', '-??+', { network: true }, {}],
  // Without a network it gets nowhere, and a yes would give it none.
  ['curl example.com', '-**+', {}, {}],
  ['curl example.com', '-??+', { network: true }, {}],
  ['npx vitest run', '-**+', { hasInstalled: () => true }, {}],
  ['npx vitest run', '-**+', { hasInstalled: () => false }, {}],
  ['npx vitest run', '-??+', { hasInstalled: () => false, network: true }, {}],
  ['git push', '-??+', {}, {}],
  ['npm test', '-??+', { transacts: false }, {}],
  ['npm test', '-??+', {}, { live: () => 'asked for' }],
  ['npm test', '-??+', {}, { asksFirst: 'all' }],
  ['ls', '-??+', {}, { asksFirst: 'all' }],
  ['npm test', '-??+', {}, { asksFirst: 'changes' }],
  ['ls', '***+', {}, { asksFirst: 'changes' }],
  ['git reset --hard', '-???', {}, { live: () => 'asked for' }],
  ['git push --force', '-???', {}, {}],
  ['ls', '-???', { sandbox: 'missing' }, {}],
  ['ls', '-???', { sandbox: 'given up' }, {}],
])('%s', (command, expected, machine, wish) => {
  it.each(MODES.map((mode, index): [Mode, string | undefined] => [mode, expected.charAt(index) || undefined]))('in mode %s: %s', (mode, mark) => {
    if (mark === undefined) return;
    const { verdict, deferred } = decided(mode, command, machine, wish);
    expect(deferred && verdict === 'allow' ? '*' : { allow: '+', ask: '?', deny: '-' }[verdict]).toBe(mark);
  });
});

describe('rules come first', () => {
  it.each([
    ['ask', 'exec(git log *)', 'git log -3'],
    ['deny', 'exec(git log *)', 'git log -3'],
    ['ask', 'exec', 'ls'],
    ['ask', 'exec(npm test)', 'npm test'],
    ['deny', 'write(locked/**)', 'rm -r locked/a'],
    ['ask', 'write(locked/**)', 'rm -r locked/a'],
    ['deny', 'read(private/**)', 'cat private/a'],
  ])('%s %s: %s', (verdict, rule, command) => {
    expect(decided('ask', command, {}, {}, { [verdict]: [rule] })).toMatchObject({ verdict, deferred: false });
  });

  it('lets what a rule allows be applied without a question', () => {
    expect(decided('ask', 'npm test', {}, {}, { allow: ['exec(npm test)'] })).toMatchObject({ verdict: 'allow', deferred: false });
  });

  // What such a command changes can be undone, like what `git commit` changes, and protected places are kept from it anyway.
  it.each(['git am p.patch', 'git apply p.patch', 'git clean -fd', 'git rm -rf .', 'prettier --write .', 'git add .vscode a.txt && git commit -m a'])(
    'lets what an allowed command changes everywhere be applied without a question: %s',
    (command) => {
      expect(decided('ask', command, {}, {}, { allow: ['write', 'exec'] })).toMatchObject({ verdict: 'allow', deferred: false });
      expect(decided('ask', command)).toMatchObject({ verdict: 'allow', deferred: true });
    },
  );

  it('asks before a change everywhere that a rule asks about, or that undo does not cover', () => {
    expect(decided('ask', 'git apply p.patch', {}, {}, { allow: ['write', 'exec'], ask: ['write(locked/**)'] }).verdict).toBe('ask');
    expect(decided('ask', 'git clean -fd', {}, { live: () => 'asked for' }, { allow: ['write', 'exec'] }).verdict).toBe('ask');
  });

  it('asks about what a command deletes everywhere, if only a pattern allows it', () => {
    const deletes = (command: string, rule: string) => decided('ask', command, {}, {}, { allow: [rule] });
    expect(deletes('rm -rf .', 'exec(rm *)')).toMatchObject({ verdict: 'allow', deferred: true });
    expect(deletes('rm -rf dist', 'exec(rm *)')).toMatchObject({ verdict: 'allow', deferred: false });
    expect(deletes('git apply p.patch', 'exec(git apply *)')).toMatchObject({ verdict: 'allow', deferred: false });
  });

  it('asks about a link that leads out of the workspace as about any file, except without a sandbox', () => {
    const state = testPolicy({ allow: ['exec', 'write'] }, { neverWritable: ['/home/ada/.local/state/synapse'] });
    const linking = (command: string, confined: boolean) =>
      decideCommand(state, command, { machine: { ...MACHINE, sandbox: confined ? 'works' : 'given up' }, wish: WISH, confined });
    for (const command of ['ln -s ../.. up', 'ln -sf /home tools/home', 'cp -s /home/x/y .']) {
      expect(linking(command, true)).toMatchObject({ verdict: 'allow', deferred: false });
      expect(decided('ask', command)).toMatchObject({ verdict: 'allow', deferred: true });
    }
    expect(linking('ln -s ../.. up; rm -rf ../..', true).verdict).not.toBe('allow');
  });

  it('takes no rule for an answer where nothing is sandboxed', () => {
    for (const allow of ['exec', 'exec(npm test)']) {
      const { verdict, rule } = decided('trusted', 'npm test', { sandbox: 'missing' }, {}, { allow: [allow] });
      expect({ verdict, rule: rule.text }).toEqual({ verdict: 'ask', rule: 'built-in: not sandboxed' });
      expect(decided('trusted', 'npm test', { sandbox: 'given up' }, {}, { allow: [allow] }).verdict).toBe('allow');
    }
  });

  it('asks about git that nothing takes back, unless a rule names it', () => {
    const live = { live: () => 'asked for' };
    expect(decided('ask', 'git reset --hard', {}, live, { allow: ['exec'] }).rule.text).toBe('built-in: cannot be undone');
    expect(decided('ask', 'git reset --hard', {}, live, { allow: ['exec(git reset *)'] }).verdict).toBe('allow');
    expect(decided('ask', 'git reset --hard', {}, {}, { allow: ['exec'] }).verdict).toBe('allow');
  });
});

it('is explained with the way that a command runs', () => {
  const call = { tool: 'run_command', machine: MACHINE, wish: WISH, confined: true } as const;
  const told = (command: string): string =>
    explanationText('run_command', explain(testPolicy(), { ...call, permissions: [{ action: 'exec', resource: command }] }));
  expect(told('npm test')).toContain('runs on a copy, because it may change files; asks about what it changes');
  expect(told('npm test')).toContain('runs npm test: mode "ask" asks about what it changes');
  expect(told('ls')).toContain('runs without a question on the workspace mounted read-only, because it only reads\n');
  const inMode = (mode: 'auto-edit' | 'ask' | 'trusted' | 'read-only', command: string): string =>
    explanationText('run_command', explain(testPolicy({ mode }), { ...call, permissions: [{ action: 'exec', resource: command }] }));
  // What the call does then: see the property that explanations agree with calls.
  expect(inMode('auto-edit', 'sed -i s/a/b/ a')).toContain('runs without a question on a copy, because it may change files\n');
  expect(inMode('auto-edit', 'sed -i s/a/b/ a')).toContain('mode "auto-edit" applies what it changes');
  expect(inMode('auto-edit', 'sed -i s/a/b/ a')).not.toContain('asks about');
  expect(inMode('read-only', 'npm test')).toContain('  is refused\n');
  expect(inMode('ask', 'git push origin main')).toContain('  asks first; then runs on a copy');
});

it('names the change of a tool that also reads', () => {
  const permissions = [
    { action: 'read' as const, resource: 'a' },
    { action: 'write' as const, resource: 'a' },
  ];
  expect(decide(testPolicy({ mode: 'auto-edit' }), { tool: 'edit_file', permissions }).rule.text).toBe('mode auto-edit: write');
});
