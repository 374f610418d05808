import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../../testing/temporary-hands.ts';

/** Folders that lead other programs to a file outside of them, and what a person does there later. */
interface Case {
  readonly name: string;
  readonly setup: string;
  /** The file that is changed, and its new text. `RUN` stands for a program that a person's git must not run. */
  readonly path: string;
  readonly text: string;
  readonly person: string;
}

const WHO = '-c user.name=a -c user.email=a@b.c';
const COMMIT = `git ${WHO} commit -q --allow-empty -m 1`;
const SCRIPT = '#!/bin/sh\nRUN\n';
const HOOKS = 'mkdir hooks; echo "#!/bin/sh" > hooks/pre-commit; chmod +x hooks/pre-commit';

const CASES: readonly Case[] = [
  {
    name: 'the hooks of a nested repository',
    setup: `git init -q sub; ${HOOKS}; git -C sub config core.hooksPath ../hooks`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd sub; ${COMMIT}`,
  },
  {
    name: 'settings that a nested repository includes',
    setup: 'git init -q a/b/sub; mkdir conf; echo "[core]" > conf/inc; git -C a/b/sub config include.path ../../../../conf/inc',
    path: 'conf/inc',
    text: '[core]\n\tfsmonitor = "RUN; false"\n',
    person: 'cd a/b/sub; git status',
  },
  {
    name: 'a script that a nested repository runs',
    setup: 'git init -q sub; mkdir scripts; echo 1 > scripts/run; git -C sub config core.fsmonitor "sh ../scripts/run"',
    path: 'scripts/run',
    text: SCRIPT,
    person: 'cd sub; git status',
  },
  {
    name: 'a filter of a nested repository',
    setup:
      'git init -q sub; mkdir scripts; echo cat > scripts/run; echo "* filter=x" > sub/.gitattributes; git -C sub config filter.x.clean "sh ../scripts/run"',
    path: 'scripts/run',
    text: SCRIPT,
    // Git filters only what seems to have changed.
    person: 'cd sub; touch .gitattributes; git add -A',
  },
  {
    name: 'the hooks of a repository behind a pointer',
    setup: `git init -q --separate-git-dir store sub; ${HOOKS}; git -C sub config core.hooksPath ../hooks`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd sub; ${COMMIT}`,
  },
  {
    name: 'the hooks of a worktree',
    setup: `git init -q sub; (cd sub; ${COMMIT}; git worktree add -q ../tree); ${HOOKS}; git -C sub config core.hooksPath ../hooks; mv sub x; mkdir sub; mv x/.git sub`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd tree; ${COMMIT}`,
  },
  {
    name: 'what a hook of a nested repository is a link to',
    setup: `git init -q sub; ${HOOKS}; ln -s ../../../hooks/pre-commit sub/.git/hooks/pre-commit`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd sub; ${COMMIT}`,
  },
  {
    name: 'what the settings of a nested repository are a link to',
    setup: 'git init -q sub; mv sub/.git/config settings; ln -s ../../settings sub/.git/config',
    path: 'settings',
    text: '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "RUN; false"\n',
    person: 'cd sub; git status',
  },
  {
    name: 'hooks behind a link in a nested repository',
    setup: `git init -q sub; ${HOOKS}; ln -s ../hooks sub/hooks; git -C sub config core.hooksPath hooks`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd sub; ${COMMIT}`,
  },
  {
    name: 'the hooks of a repository whose folder is a link',
    setup: `git init -q real; mkdir sub; mv real/.git store; rmdir real; ln -s ../store sub/.git; ${HOOKS}; git -C sub config core.hooksPath ../hooks`,
    path: 'hooks/pre-commit',
    text: SCRIPT,
    person: `cd sub; ${COMMIT}`,
  },
  {
    name: 'the hooks of a bare repository',
    setup:
      'git init -q --bare sub.git; mkdir hooks; echo "#!/bin/sh" > hooks/update; chmod +x hooks/update; git -C sub.git config core.hooksPath ../hooks',
    path: 'hooks/update',
    text: SCRIPT,
    person: `git init -q work; cd work; ${COMMIT}; git push -q ../sub.git HEAD:refs/heads/$$; cd ..; rm -r work`,
  },
  {
    name: 'a script in a folder to which a command changes',
    setup: 'git init -q sub; mkdir sub/tools; echo 1 > sub/tools/run; git -C sub config core.fsmonitor "cd tools; sh run;:"',
    path: 'sub/tools/run',
    text: SCRIPT,
    person: 'cd sub; git status',
  },
  {
    name: 'a script that a command names by its working directory',
    setup: `git init -q sub; mkdir sub/tools; echo 1 > sub/tools/run; git -C sub config core.fsmonitor 'sh "\${PWD}"/tools/run'`,
    path: 'sub/tools/run',
    text: SCRIPT,
    person: 'cd sub; git status',
  },
  {
    name: 'a script that is named in a continued line',
    setup: String.raw`git init -q sub; mkdir sub/tools; echo 1 > sub/tools/run; printf '[core]\n\tfsmonitor = sh \\\n tools/run\n' >> sub/.git/config`,
    path: 'sub/tools/run',
    text: SCRIPT,
    person: 'cd sub; git status',
  },
  {
    name: 'a script in another working tree',
    setup: 'git init -q sub; mkdir tree; echo 1 > tree/run; git -C sub config core.fsmonitor "sh ./run"; git -C sub config core.worktree ../../tree',
    path: 'tree/run',
    text: SCRIPT,
    person: 'cd sub; git status',
  },
];

const sh = (at: TemporaryHands, command: string): void =>
  void spawnSync('/bin/sh', ['-c', command], { cwd: at.folder, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: at.outside } });

type Change = (at: TemporaryHands, path: string, text: string) => Promise<CallResult<unknown>>;

const patched = (path: string, text: string, old: string): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    '@@',
    `-${old}`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `+${line}`),
    '*** End Patch',
  ].join('\n');

const firstLine = async (at: TemporaryHands, path: string): Promise<string> => {
  const result = await at.hands.call('read_file', { path });
  return result.ok ? (result.data.content.split('\n')[0] ?? '') : '';
};

/** Runs a script: what a command names itself is asked about before it runs. */
const byCommand =
  (live: boolean): Change =>
  async (at, path, text) => {
    writeFileSync(at.at('new'), text);
    writeFileSync(at.at('script'), `cat new > ${path}`);
    return await at.hands.call('run_command', { command: 'sh ./script', live });
  };

const writeFile: Change = async (at, path, content) => await at.hands.call('write_file', { path, content });

const WAYS: Readonly<Record<string, Change>> = {
  write_file: writeFile,
  edit_file: async (at, path, text) =>
    await at.hands.call('edit_file', { path, edits: [{ old_text: await firstLine(at, path), new_text: text.trimEnd() }] }),
  apply_patch: async (at, path, text) => await at.hands.call('apply_patch', { patch: patched(path, text, await firstLine(at, path)) }),
  'move_path, in two steps': async (at, path, text) => {
    writeFileSync(at.at('new'), text, { mode: 0o755 });
    const deleted = await at.hands.call('delete_file', { path });
    if (!deleted.ok) return deleted;
    return await at.hands.call('move_path', { from: 'new', to: path });
  },
  'a command on a copy': byCommand(false),
  'a live command': byCommand(true),
};

/** Does what a person does; returns whether that ran what was written. */
function isRun(at: TemporaryHands, mark: string, person: string): boolean {
  rmSync(mark, { force: true });
  sh(at, person);
  return existsSync(mark);
}

async function attack(
  { setup, path, text, person }: Case,
  change: Change,
  allow: ReadonlyArray<'write' | 'exec' | 'protected'>,
  isWarm: boolean,
): Promise<readonly [said: string, isRun: boolean]> {
  await using at = await temporaryHands({ 'a.txt': 'a' }, { sandbox: 'required', allow });
  const mark = join(at.outside, 'mark');
  // Otherwise the folders are not watched yet: the first request of a process only walks.
  if (isWarm)
    for (const content of ['1', '2', '3']) expect(await at.hands.call('write_file', { path: 'a.txt', content })).toMatchObject({ ok: true });
  sh(at, setup);
  expect(isRun(at, mark, person)).toBe(false);
  const result = await change(at, path, text.replaceAll('RUN', `touch ${mark}`));
  return [result.ok ? 'done' : result.error.code, isRun(at, mark, person)];
}

/** What a way of changing a file says if the change is not made. What a command may not change is only missing afterwards. */
const refusalOf = (name: string): string => (name.includes('command') ? 'done' : 'approval_required');

describe.skipIf((await findBubblewrap()) === undefined).each(CASES)('$name', (one) => {
  it.each(Object.entries(WAYS))('are not changed by %s', async (name, change) => {
    expect(await attack(one, change, ['write', 'exec'], false)).toEqual([refusalOf(name), false]);
  });
  it('are not changed where the folders are watched', async () => {
    expect(await attack(one, writeFile, ['write', 'exec'], true)).toEqual(['approval_required', false]);
  });
  it('and would be run', async () => {
    expect(await attack(one, writeFile, ['write', 'exec', 'protected'], false)).toEqual(['done', true]);
  });
});
