import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../../testing/temporary-hands.ts';
import { placesFromOutside } from '../places-from-outside.ts';

const WHO = '-c user.name=a -c user.email=a@b.c';
const NAMES = 'git config core.fsmonitor';

/** Repositories whose settings name `tools/run` in the workspace, and are not in it. */
const CASES: ReadonlyArray<readonly [name: string, setup: string]> = [
  [
    'the repository of a linked worktree',
    `git init -q main; cd main; git ${WHO} commit -q --allow-empty -m 1; git worktree add -q ../workspace; ${NAMES} "sh tools/run"`,
  ],
  ['the repository around the workspace', `git init -q .; ${NAMES} "sh workspace/tools/run"`],
  ['another name of the workspace', `ln -s workspace other; cd workspace; git init -q; ${NAMES} "sh $PWD/../other/tools/run"`],
];

const sh = (at: TemporaryHands, command: string): void =>
  void spawnSync('/bin/sh', ['-c', command], { cwd: dirname(at.folder), stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: at.outside } });

function isRun(at: TemporaryHands): boolean {
  const mark = join(at.outside, 'mark');
  rmSync(mark, { force: true });
  sh(at, 'cd workspace; git status');
  return existsSync(mark);
}

async function open(setup: string, allow: Array<'write' | 'exec' | 'protected'>): Promise<TemporaryHands> {
  const at = await temporaryHands({}, { sandbox: 'required', allow });
  sh(at, setup);
  mkdirSync(at.at('tools'));
  writeFileSync(at.at('tools/run'), '');
  expect(isRun(at)).toBe(false);
  return at;
}

describe.skipIf((await findBubblewrap()) === undefined).each(CASES)('what is named by %s', (_, setup) => {
  it.each([
    ['is not changed', ['write', 'exec'], 'approval_required'],
    ['and would be run', ['write', 'exec', 'protected'], 'ok'],
  ] as const)('%s by a file tool', async (_, allow, code) => {
    await using at = await open(setup, [...allow]);
    const result = await at.hands.call('write_file', { path: 'tools/run', content: `touch ${join(at.outside, 'mark')}` });
    expect(result.ok ? 'ok' : result.error.code).toBe(code);
    expect(isRun(at)).toBe(code === 'ok');
  });

  it.each([
    ['changed', 'echo touch $MARK > tools/run'],
    ['replaced', 'rm tools/run; echo touch $MARK > tools/run'],
    ['replaced with its folder', 'mv tools old; mkdir tools; echo touch $MARK > tools/run'],
  ])('is not %s by a live command', async (_, attack) => {
    await using at = await open(setup, ['write', 'exec']);
    const command = attack.replace('$MARK', join(at.outside, 'mark'));
    expect(await at.hands.call('run_command', { command, live: true })).toMatchObject({ meta: { ran: 'live' } });
    expect(isRun(at)).toBe(false);
  });

  it('is not created by a live command', async () => {
    await using at = await open(setup, ['write', 'exec']);
    rmSync(at.at('tools/run'));
    const command = `echo touch ${join(at.outside, 'mark')} > tools/run`;
    expect(await at.hands.call('run_command', { command, live: true })).toMatchObject({ meta: { ran: 'live' } });
    expect(isRun(at)).toBe(false);
  });

  it('is not changed by a command', async () => {
    await using at = await open(setup, ['write', 'exec']);
    writeFileSync(at.at('script'), `echo touch ${join(at.outside, 'mark')} > tools/run`);
    expect(await at.hands.call('run_command', { command: 'sh ./script' })).toMatchObject({ ok: true });
    expect(isRun(at)).toBe(false);
  });
});

it("knows what the user's own settings name", async () => {
  await using at = await temporaryHands();
  const named = (text: string): string[] => {
    writeFileSync(join(at.outside, '.gitconfig'), text);
    return placesFromOutside({ root: at.folder, tier: 'handle' }, at.outside).places.map(({ path }) => path);
  };
  expect(named('[core]\n\thooksPath = tools/hooks\n')).toEqual(['tools/hooks']);
  expect(named(`[include]\n\tpath = ~/../workspace/git.inc\n`)).toEqual(['git.inc']);
  expect(named('[core]\n\thooksPath = /etc/hooks\n\teditor = vi\n')).toEqual([]);
  // As `git lfs install` writes it.
  writeFileSync(at.at('clean'), '');
  expect(named('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n')).toEqual([]);
  expect(named('[filter "x"]\n\tclean = sh clean\n')).toEqual(['clean']);
});

it.each([
  ['XDG_CONFIG_HOME', 'git/config', ''],
  ['GIT_CONFIG_GLOBAL', 'mine', 'mine'],
  ['GIT_CONFIG_SYSTEM', 'mine', 'mine'],
])('knows what the settings name that %s leads to', async (variable, file, below) => {
  await using at = await temporaryHands();
  const path = join(at.outside, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '[core]\n\thooksPath = tools/hooks\n');
  const named = (environment: NodeJS.ProcessEnv): string[] =>
    placesFromOutside({ root: at.folder, tier: 'handle' }, '/nowhere', environment).places.map((place) => place.path);
  expect(named({ [variable]: join(at.outside, below) })).toEqual(['tools/hooks']);
  expect(named({})).toEqual([]);
});
