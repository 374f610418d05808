import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';

/** Of this run alone: commands may see the folder of this very test. */
const SECRET = `known only beside ${randomBytes(8).toString('hex')}`;
const TOKEN = 'ghp_password';
let base: string;
/** A repository of two packages; the one is the workspace, and the other holds a secret, in its history as well. */
let top: string;
let workspace: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-copy-')));
  top = join(base, 'mono');
  workspace = join(top, 'packages/a');
  initRepository(top, { '.gitignore': 'dist/\n', 'packages/a/a.txt': 'one\n', 'packages/b/secret.txt': `${SECRET}, old\n` });
  git(top, 'remote', 'add', 'origin', `https://ada:${TOKEN}@example.com/mono.git`);
  git(top, 'tag', '-a', 'v1', '-m', 'first version');
  write(top, { 'packages/a/a.txt': 'one\ntwo\n', 'packages/b/secret.txt': `${SECRET}, new\n`, 'root.txt': `${SECRET} at the top\n` });
  commitAll(top, 'second');
  writeFileSync(join(top, '.git/hooks/pre-commit'), `#!/bin/sh\n# ${SECRET}\n`, { mode: 0o755 });
});

/** Runs commands one after the other; gives what each said. */
async function run(commands: readonly string[], folder = workspace): Promise<string[]> {
  await using hands = await createHands({ workspace: folder, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
  const said: string[] = [];
  for (const command of commands) {
    const result = await hands.call('run_command', { command });
    said.push(result.ok ? result.output : `${result.error.message} ${result.error.hint ?? ''}`);
  }
  return said;
}

describe('git in commands, in a folder of a repository', () => {
  it('knows the state, the changes and the history', async () => {
    write(top, {
      'packages/a/a.txt': 'one\ntwo\nthree\n',
      'packages/a/new.txt': 'n',
      'packages/a/dist/x': 'x',
      'packages/b/secret.txt': 'changed\n',
    });
    const [status = '', diff = '', staged = '', log = '', show = '', blame = '', tag = ''] = await run([
      'git status --porcelain=v1 --branch',
      'git diff && git diff --stat HEAD~1',
      'git diff --cached',
      'git log --format=%s -- .',
      'git show -p && git log -p --stat -1',
      'git blame -s a.txt',
      'git describe && git branch --list && git rev-parse --show-prefix --is-inside-work-tree',
    ]);
    expect(status).toMatch(/^\[exit code 0[^\]]*\]\n## main\n M (?:packages\/a\/)?a\.txt\n\?\? (?:packages\/a\/)?new\.txt\n$/u);
    expect(diff).toContain('+++ b/a.txt');
    expect(diff).toContain('+three');
    expect(diff).not.toContain('secret');
    expect(staged).toMatch(/^\[exit code 0[^\]]*\]$/u);
    expect(log).toMatch(/^\[exit code 0[^\]]*\]\nsecond\nfirst\n/u);
    expect(show).toContain('+two');
    expect(blame).toContain('three');
    expect(tag).toMatch(/^\[exit code 0[^\]]*\]\nv1-1-g[\da-f]+\n\* main\npackages\/a\/\ntrue\n/u);
    expect(JSON.stringify([status, diff, show, log])).not.toContain(SECRET);
  });

  it('knows where the history of a shallow clone begins', async () => {
    git(base, 'clone', '--quiet', '--depth', '1', `file://${top}`, 'shallow');
    const [log = '', shallow = ''] = await run(['git log --format=%s', 'git rev-parse --is-shallow-repository'], join(base, 'shallow/packages/a'));
    expect(log).toContain('second');
    expect(log).not.toMatch(/fatal|error/u);
    expect(log).toMatch(/exit code 0/u);
    expect(shallow).toContain('true');
  });

  it('sees what a person does meanwhile', async () => {
    await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), allow: ['write', 'exec'] });
    const said = async (command: string): Promise<string> => {
      const result = await hands.call('run_command', { command });
      return result.ok ? result.output : result.error.message;
    };
    expect(await said('git log --format=%s')).toMatch(/^\[exit code 0[^\]]*\]\nsecond\nfirst\n/u);
    write(workspace, { 'a.txt': 'staged\n' });
    git(top, 'add', '-A');
    expect(await said('git diff --cached')).toContain('+staged');
    git(top, 'commit', '-q', '-m', 'third');
    git(top, 'checkout', '-q', '-b', 'topic');
    expect(await said('git log --format=%s && git status --branch --short')).toMatch(/^\[exit code 0[^\]]*\]\nthird\nsecond\nfirst\n## topic\n/u);
  });

  it('reads a linked worktree in the same way', async () => {
    git(top, 'worktree', 'add', '-q', join(base, 'linked'), '-b', 'topic');
    const [said = ''] = await run(['git status --branch --short && git log -1 --format=%s'], join(base, 'linked/packages/a'));
    expect(said).toMatch(/^\[exit code 0[^\]]*\]\n## topic\nsecond\n/u);
  });
});

/** Everything that could show what is beside; `ID` is the id of the secret's content, `OLD` of the older one. */
const ATTEMPTS = [
  'git show HEAD:packages/b/secret.txt',
  'git show HEAD~1:packages/b/secret.txt HEAD:root.txt',
  'git cat-file -p ID; git cat-file -p OLD',
  'git cat-file --batch-all-objects --batch --unordered',
  'git log -p --no-relative --all -- :/packages/b',
  'git -c diff.relative=false show',
  'git -c diff.relative=false diff HEAD~1 HEAD',
  'git archive HEAD | tar xO',
  'git grep -I known HEAD -- :/',
  'git restore --source=HEAD --worktree :/packages/b; cat ../b/secret.txt',
  'git worktree add /tmp/w HEAD; cat /tmp/w/packages/b/secret.txt',
  'git clone -q ../../.git /tmp/c; cat /tmp/c/packages/b/secret.txt',
  'git fsck --full; git rev-list --all --objects | cut -c1-40 | git cat-file --batch',
  'cat ../../.git/config ../../.git/hooks/* ../b/* ../../root.txt',
  'git config --list --show-origin',
  'git remote -v',
  'git for-each-ref; grep -r password ../../.git/',
  'find ../.. /tmp /run /var -name secret.txt -exec cat {} +; grep -rh "known only" ../.. /tmp /run /var',
  'cat /proc/self/mountinfo | grep -o "/[^ ]*mono[^ ]*" | xargs -I{} cat {}/config {}/packages/b/secret.txt',
];

describe('what is beside the folder', () => {
  const ids = (command: string): string =>
    command.replace('ID', git(top, 'rev-parse', 'HEAD:packages/b/secret.txt')).replace('OLD', git(top, 'rev-parse', 'HEAD~1:packages/b/secret.txt'));

  it('is not shown to any command', async () => {
    const said = await run(ATTEMPTS.map(ids));
    for (const [index, command] of ATTEMPTS.entries()) expect(`${command}\n${said[index]}`).not.toMatch(new RegExp(`${SECRET}|${TOKEN}`, 'u'));
  });

  it('is shown where the repository itself is the workspace: the attempts are real', async () => {
    const tries = ATTEMPTS.slice(0, 5).map((command) => ids(command).replaceAll(':/packages/b', 'packages/b'));
    for (const text of await run(tries, top)) expect(text).toContain(SECRET);
  });

  it('cannot be changed, and says in one line what to do', async () => {
    const state = (): string =>
      JSON.stringify([
        git(top, 'for-each-ref'),
        readFileSync(join(top, '.git/config'), 'utf8'),
        readFileSync(join(top, '.git/index'), 'base64'),
        readdirSync(join(top, '.git')),
        readdirSync(join(top, '.git/hooks')),
      ]);
    const before = state();
    const said = await run([
      'echo more >> a.txt && git add a.txt && git commit -m mine',
      'git commit --allow-empty -m mine',
      'git checkout -b mine',
      'git config core.hooksPath /tmp; git config --get core.hooksPath',
      'echo x > ../../.git/hooks/post-checkout; rm -rf ../../.git; mv ../../.git ../../g',
      'git update-ref refs/heads/evil HEAD; git stash; git gc',
    ]);
    for (const text of said.slice(0, 3)) expect(text).toMatch(/opens the top of the repository as the workspace\]/u);
    expect(state()).toBe(before);
    expect(git(top, 'status', '--porcelain')).toBe('M packages/a/a.txt');
  });
});
