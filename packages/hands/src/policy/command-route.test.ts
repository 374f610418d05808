import { describe, expect, it } from 'vitest';
import { commandRoute, readsOnly, widerRoute, type CommandEnvironment, type CommandWay } from './command-route.ts';
import { shellEffects } from './shell-effects.ts';

const MACHINE: CommandEnvironment = { sandbox: 'works', transacts: true, network: false };
const READER = 'ls';
const WRITER = 'make';

it.each<[string, Partial<CommandEnvironment>, string | undefined, CommandWay]>([
  [READER, {}, undefined, 'reader'],
  [WRITER, {}, undefined, 'transaction'],
  // A reader needs no copy: it runs beside one that does not work.
  [READER, { transacts: false }, undefined, 'reader'],
  [WRITER, { transacts: false }, undefined, 'live'],
  [READER, {}, 'live was asked for', 'live'],
  [WRITER, { network: true }, undefined, 'transaction'],
  [READER, { sandbox: 'missing' }, undefined, 'unconfined'],
  [WRITER, { sandbox: 'given up' }, 'live was asked for', 'unconfined'],
])('%s on %j, live: %s: %s', (command, machine, live, way) => {
  expect(commandRoute(shellEffects(command), { live: () => live }, { ...MACHINE, ...machine }).way).toBe(way);
});

describe('what only reads', () => {
  it.each([
    'ls -la src/utils | head -20',
    "grep -rn 'parseSigned' src | head -5",
    "sed -n '110,140p' src/utils/cookie.ts",
    'git log --oneline -5 && git diff --stat HEAD~3',
    'node --version && npm --version',
    'npm ls --depth=0',
    'cd src && cat a.ts',
    'rg TODO src 2>/dev/null',
    'find . -name "*.ts" -newer package.json',
    'wc -l a b',
    'jq .version package.json',
    'git -C packages/hands status',
    'git --no-pager diff',
    'git --version',
    'git branch -a',
    'git branch --contains HEAD',
    'git tag -l "v*"',
    'git tag',
    'git stash list',
    'git config --get user.name',
    'git remote -v',
    'git log -- .vscode',
    'git submodule foreach git status',
    "git submodule foreach --recursive 'git status --short; git log -1'",
    'git -C sub submodule foreach -q git rev-parse HEAD',
    'timeout 5 git status',
    'echo hi',
    'pwd; date',
  ])('%s', (command) => {
    expect(readsOnly(shellEffects(command))).toBe(true);
  });

  // The control: each of these changes something, or may.
  it.each([
    'ls > list.txt',
    'sed -i s/a/b/ a.ts',
    'sed -n "w b" a',
    'sort -o a a',
    'find . -name "*.o" -delete',
    'find . -exec rm {} +',
    'find . -fprint a',
    'rm a',
    'tee a',
    'git commit -m x',
    'git branch topic',
    'git branch -D topic',
    'git tag v1',
    'git stash',
    'git config user.name x',
    'git remote add a b',
    'git remote show origin',
    'git diff --output=a',
    'git -c core.pager=sh log',
    'git grep -O x',
    'git fetch',
    'git worktree add a',
    'git submodule foreach',
    'git submodule foreach rm a',
    "git submodule foreach 'git status; rm a'",
    'git submodule foreach git fetch',
    'git submodule foreach --unknown git status',
    'git submodule foreach $CMD',
    'git submodule foreach "git status $CMD"',
    'git submodule foreach git submodule foreach rm a',
    'git -c alias.x=!id submodule foreach git status',
    'git submodule --quiet foreach git status',
    'git submodule update',
    'git symbolic-ref HEAD refs/heads/x',
    'npm install',
    'node -e 1',
    'node --version x.js',
    'curl example.com',
    'rg --pre=./x a',
    'sh -c ls',
    'sudo ls',
    'xargs rm',
    '$CMD',
    'ls $(make)',
    'ls && make',
    './ls',
    '',
  ])('not %s', (command) => {
    expect(readsOnly(shellEffects(command))).toBe(false);
  });
});

it('takes the way that confines the least for all commands of a call', () => {
  const route = (way: CommandWay) => ({ way, reason: '' });
  expect(widerRoute(undefined, route('reader')).way).toBe('reader');
  expect(widerRoute(route('reader'), route('live')).way).toBe('live');
  expect(widerRoute(route('live'), route('transaction')).way).toBe('live');
});
