import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it.skipIf((await findBubblewrap()) === undefined).each<[string, string, RegExp[]]>([
  ['a commit', 'echo two > a.txt && git commit -qam two', [/^git: branch main moves from \w{7} to \w{7}$/u, /^ {2}\w{7} two$/u]],
  [
    'commits on a new branch',
    'git switch -qc topic && for i in 1 2; do git commit -q --allow-empty -m $i; done',
    [/^git: HEAD moves from branch main to branch topic$/u, /^git: branch topic is new, at \w{7}$/u, /^ {2}\w{7} 2$/u, /^ {2}\w{7} 1$/u],
  ],
  [
    'an amended commit and packed references',
    'git commit -q --amend --allow-empty -m other && git pack-refs --all && git branch -qD spare',
    [/^git: branch main moves from \w{7} to \w{7}$/u, /^ {2}\w{7} other$/u, /^git: branch spare is deleted; it was at \w{7}$/u],
  ],
  ['a reset', 'git reset -q --hard HEAD~1', [/^git: branch main moves from \w{7} to \w{7}$/u]],
  [
    'references made anew',
    'rm -rf .git/refs/heads && mkdir -p .git/refs/heads && git rev-parse HEAD 2>&1',
    [/^git: branch main is deleted/u, /^git: branch spare is deleted/u],
  ],
  ['what is only staged', 'echo two > a.txt && git add a.txt', []],
  [
    'a forged log',
    'echo two > a.txt && git commit -qam evil && sed -i s/evil/good/ .git/logs/HEAD .git/logs/refs/heads/main',
    [/^git: branch main/u, /^ {2}\w{7} evil$/u],
  ],
])('shows %s', async (_, command, lines) => {
  await using place = await temporaryHands({ 'a.txt': 'one\n', 'run.sh': command }, { sandbox: 'required', allow: [] });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  git('branch', 'spare');
  const result = await place.hands.call('run_command', { command: 'sh ./run.sh' });
  expect(result).toMatchObject({ ok: true, meta: { pending: expect.stringMatching(/^c-/u) as string } });
  const { repositories } = await place.hands.showPending(result.meta.pending ?? '');
  expect(repositories).toEqual(lines.map((line) => expect.stringMatching(line) as string));
});

it.skipIf((await findBubblewrap()) === undefined)('shows the files of a large commit before its objects', async () => {
  const command =
    'for i in $(seq 300); do echo $i > f$i; done; git init -q; git add -A; git -c user.name=A -c user.email=a@example.com commit -qm many';
  await using place = await temporaryHands({ 'run.sh': command }, { sandbox: 'required', allow: [] });
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: place.folder });
  const result = await place.hands.call('run_command', { command: 'sh ./run.sh' });
  const { changes, more, repositories } = await place.hands.showPending(result.meta.pending ?? '');
  expect(changes.filter(({ path }) => /^f\d+$/u.test(path))).toHaveLength(300);
  expect(more).toBe(0);
  expect(repositories).toEqual([
    expect.stringMatching(/^git: branch main is new, at \w{7}$/u),
    expect.stringMatching(/^ {2}\w{7} many$/u),
    expect.stringMatching(/^git: \d+ further entries of its own data$/u),
  ]);
});

it.skipIf((await findBubblewrap()) === undefined).each<[string, string, unknown[]]>([
  [
    'a branch that another one is merged into, commit by commit',
    'git checkout -q spare && echo 2 > a.txt && git commit -qam two && git checkout -q main && git merge -q --ff-only spare && echo 3 > a.txt && git commit -qam three',
    ['commits 1 file to branch main in 2 new commits, the newest: "three"', expect.stringMatching(/^moves branch spare from \w{7} to \w{7}$/u)],
  ],
  [
    'more commits than are listed',
    'for i in $(seq 25); do git commit -q --allow-empty -m $i; done',
    ['commits 0 files to branch main in more than 20 new commits, the newest: "25"'],
  ],
  [
    'an amended commit',
    'git commit -q --amend --allow-empty -m other',
    [expect.stringMatching(/^rewrites branch main, which was at \w{7}: "other"$/u)],
  ],
  [
    'an amended commit of a packed history',
    'git commit -q --amend --allow-empty -m other',
    [expect.stringMatching(/^moves branch main from \w{7} to \w{7}: "other"$/u)],
  ],
  [
    'commits that are packed at once',
    'echo 2 > a.txt && git commit -qam two && git repack -adq && git prune-packed',
    [expect.stringMatching(/^moves branch main from \w{7} to \w{7}$/u)],
  ],
  ['a worktree', 'git worktree add -q w spare', ['adds worktree w at branch spare']],
])('says what is certain of %s', async (title, command, sentences) => {
  await using place = await temporaryHands({ 'a.txt': 'one\n', 'run.sh': command, '.gitignore': 'w/\n' }, { sandbox: 'required', allow: [] });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('commit', '-q', '--allow-empty', '-m', 'second');
  git('branch', 'spare');
  if (title.includes('packed history')) git('repack', '-adq');
  const result = await place.hands.call('run_command', { command: 'sh ./run.sh' });
  const { meaning = [] } = await place.hands.showPending(result.meta.pending ?? '');
  expect(meaning.filter((sentence) => /branch|worktree/u.test(sentence))).toEqual(sentences);
});
