import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../testing/sandbox-bench.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

const IDENTITY = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b';

describe.skipIf((await findBubblewrap()) === undefined).each(TEST_USERS)('what a command leaves, as %s', (user) => {
  let bench: SandboxBench;
  beforeEach(async () => {
    bench = await SandboxBench.open(user, {
      files: {
        'evil/pre-commit': '#!/bin/sh\ntouch hooked\n',
        'parts/config': '[core]\n\tfsmonitor = ./evil\n',
        'parts/hooks/pre-commit': '#!/bin/sh\n',
        'bare/HEAD': 'ref: refs/heads/main\n',
        'bare/objects/x': '',
        'bare/refs/x': '',
        'bare/config': '[core]\n\tfsmonitor = ./evil\n',
        'bare/hooks/pre-commit': '#!/bin/sh\n',
        '.vscode/settings.json': '{}',
      },
    });
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  it.each([
    ['a hook in a new folder', 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', ['git-hook .git/hooks/pre-commit']],
    ['a hook in a new repository', 'git init -q sub; echo x > sub/.git/hooks/post-commit', ['git-hook sub/.git/hooks/post-commit']],
    ['a setting in a new repository', 'git init -q sub; git -C sub config core.fsmonitor ./x', ['git-config sub/.git/config']],
    ['an old hook moved in', 'git init -q sub; rm -r sub/.git/hooks; mv evil sub/.git/hooks', ['git-hook sub/.git/hooks/pre-commit']],
    ['an old repository moved in', 'mkdir sub; mv parts sub/.git', ['git-config sub/.git/config', 'git-hook sub/.git/hooks/pre-commit']],
    ['folders of hooks by a link', 'git init -q sub; rm -r sub/.git/hooks; ln -s ../../evil sub/.git/hooks', ['git-hook sub/.git/hooks']],
    ['a pointer to a repository', 'mkdir sub; echo "gitdir: ../bare" > sub/.git', ['git-pointer sub/.git']],
    ['a pointer to the outside', 'echo "gitdir: /tmp/x" > .git', ['git-pointer .git']],
    ['a pointer out of the modules', 'mkdir sub; echo "gitdir: ../.git/modules/../../bare" > sub/.git', ['git-pointer sub/.git']],
    ['a pointer above the workspace', 'mkdir sub; echo "gitdir: ../../.git/modules/x" > sub/.git', ['git-pointer sub/.git']],
    ['a link as repository', 'ln -s bare .git', ['git-pointer .git']],
    ['another name of .git', 'mkdir -p .GIT/hooks; echo x > .GIT/hooks/pre-commit', ['git-hook .GIT/hooks/pre-commit']],
    [
      'a command among the steps of a rebase',
      'git init -q sub; mkdir sub/.git/rebase-merge; printf "pick a\\n exec ./x\\n" > sub/.git/rebase-merge/git-rebase-todo',
      ['git-hook sub/.git/rebase-merge/git-rebase-todo'],
    ],
    [
      'other objects in place of those that were committed',
      'git init -q sub; mkdir sub/.git/refs/replace; echo x > sub/.git/info/grafts; echo x > sub/.git/refs/replace/0123',
      ['git-pointer sub/.git/info/grafts', 'git-pointer sub/.git/refs/replace/0123'],
    ],
    ['orders to an agent', 'mkdir .claude; echo {} > .claude/settings.json; echo {} > .mcp.json', ['protected .claude', 'protected .mcp.json']],
    [
      'what package managers and editors obey',
      'echo script-shell=./x > .npmrc; mkdir .zed; echo {} > .zed/tasks.json',
      ['protected .npmrc', 'protected .zed'],
    ],
    [
      'an old repository without a name copied in',
      'mkdir sub; cp -r bare sub/other',
      ['git-config sub/other/config', 'git-hook sub/other/hooks/pre-commit'],
    ],
    [
      'a worktree led elsewhere',
      `${IDENTITY}; git init -q sub; cd sub; git commit -q --allow-empty -m x; git worktree add -q ../tree; echo ../../../../bare > .git/worktrees/tree/commondir; rm ../tree/.git`,
      ['git-pointer sub/.git/worktrees/tree/commondir'],
    ],
    ['deep in new folders', 'mkdir -p a/b/c; git init -q a/b/c; echo x > a/b/c/.git/hooks/update', ['git-hook a/b/c/.git/hooks/update']],
  ])('takes away %s', async (_, command, expected) => {
    const { quarantined } = await bench.inside(command);
    expect(quarantined.map(({ reason, path }) => `${reason} ${path}`).toSorted()).toEqual(expected);
    for (const { path, action, keptAs } of quarantined) {
      expect(action).toBe('moved');
      expect(existsSync(bench.at(path))).toBe(false);
      expect(keptAs).toMatch(/state\/quarantine\//u);
    }
  });

  it.each([
    ['a plain repository', 'git init -q sub'],
    ['commits and branches', `${IDENTITY}; git init -q sub; cd sub; git commit -q --allow-empty -m x; git checkout -q -b y`],
    ['a clone', `${IDENTITY}; git init -q o; git -C o commit -q --allow-empty -m x; git clone -q o c`],
    ['hooks that are only samples', 'git init -q sub; touch sub/.git/hooks/x.sample'],
    ['a submodule', 'mkdir -p a/sub; echo "gitdir: ../../.git/modules/sub" > a/sub/.git'],
    ['nothing', 'true'],
  ])('lets stand: %s', async (_, command) => {
    expect(await bench.inside(command)).toMatchObject({ exitCode: 0, quarantined: [] });
  });

  it('tells of what editors and shells read further down, and leaves it', async () => {
    const { quarantined } = await bench.inside('mkdir sub; echo x > sub/.envrc; echo 1 > .vscode/settings.json || echo refused');
    expect(quarantined).toEqual([{ path: 'sub/.envrc', reason: 'protected', detail: 'a shell runs it at its start', action: 'reported' }]);
    expect(readFileSync(bench.at('.vscode/settings.json'), 'utf8')).toBe('{}');
  });

  it('keeps hooks and settings of the repository that is there as they are', async () => {
    await bench.inside(`${IDENTITY}; git init -q .; git commit -q --allow-empty -m x`);
    await bench.outsideOf('echo ../.git > .git/commondir; printf "[core]\n\tbare = false\n" > .git/config.worktree');
    const attempts = [
      'echo /tmp > .git/commondir',
      'echo "[alias] x = !y" >> .git/config.worktree',
      'echo x > .git/hooks/pre-commit',
      'echo "[alias] x = !y" >> .git/config',
      'mv .git .git2',
      'mv .git/hooks .git/h2',
      'rm -f .git/config',
      'git config core.fsmonitor x',
    ];
    for (const attempt of attempts) {
      const result = await bench.inside(`{ ${attempt}; } 2>/dev/null && echo worked`);
      expect([attempt, result.stdout, result.quarantined]).toEqual([attempt, '', []]);
    }
    const commit = await bench.inside(`${IDENTITY}; git commit -q --allow-empty -m y; git log --oneline | wc -l`);
    expect(commit).toMatchObject({ stdout: '2\n', quarantined: [] });
  });

  it('sees a change whose time and size were set back', async () => {
    await bench.outsideOf('git init -q sub; mkdir -p sub/.git/rebase-merge; echo "pick 1234567" > sub/.git/rebase-merge/git-rebase-todo');
    const { quarantined } = await bench.inside(
      'cd sub/.git/rebase-merge; touch -r git-rebase-todo ref; sed "s/pick 1234567/exec .\\/evilx/" git-rebase-todo > new; cat new > git-rebase-todo; touch -r ref git-rebase-todo; rm new ref',
    );
    expect(quarantined).toMatchObject([{ path: 'sub/.git/rebase-merge/git-rebase-todo', detail: 'git rebase --continue runs it' }]);
  });

  it('tells of steps in a rebase that a person began, and leaves it', async () => {
    const steps = 'sub/.git/rebase-merge/git-rebase-todo';
    await bench.outsideOf(`git init -q sub; mkdir sub/.git/rebase-merge; echo "exec make" > ${steps}`);
    expect(await bench.inside('true')).toMatchObject({ quarantined: [] });
    expect(await bench.inside(`echo "exec ./x" >> ${steps}`)).toMatchObject({
      quarantined: [{ path: steps, reason: 'git-hook', action: 'reported' }],
    });
    expect(existsSync(bench.at(steps))).toBe(true);
  });

  it('keeps the pointer of a worktree, which is a file, as it is', async () => {
    await bench.outsideOf('echo "gitdir: ../elsewhere" > .git');
    for (const attempt of ['echo "gitdir: bare" > .git', 'rm -f .git', 'mv .git x', 'mv bare .git']) {
      const result = await bench.inside(`{ ${attempt}; } 2>/dev/null && echo worked`);
      expect([attempt, result.stdout, result.quarantined]).toEqual([attempt, '', []]);
    }
    expect(readFileSync(bench.at('.git'), 'utf8')).toBe('gitdir: ../elsewhere\n');
  });

  it('keeps a repository and orders further below as they are, from the start', async () => {
    await bench.outsideOf(
      'git init -q sub; mkdir -p a/b; echo {} > a/b/.mcp.json; git config -f sub/.git/config core.hooksPath tools; mkdir sub/tools',
    );
    await bench.outsideOf('mkdir -p node_modules/x/.vscode; echo 1 > sub/tools/pre-commit; echo 1 > node_modules/x/.npmrc');
    const attempts = [
      'git -C sub config alias.x "!y"',
      'echo x > sub/.git/hooks/update',
      'mv sub/.git sub/other',
      'echo x > sub/tools/pre-commit',
      'echo x > sub/tools/post-commit',
      'echo x > a/b/.mcp.json',
      'rm a/b/.mcp.json',
      'echo x > bare/config',
      'echo x > bare/hooks/post-update',
    ];
    for (const attempt of attempts) {
      const result = await bench.inside(`{ ${attempt}; } 2>/dev/null && echo worked`);
      expect([attempt, result.stdout, result.quarantined]).toEqual([attempt, '', []]);
      // Outside each of them works.
      expect((await bench.outsideOf(`cp -a . ../copy; cd ../copy; { ${attempt}; } 2>/dev/null && echo worked; rm -rf ../copy`)).stdout).toContain(
        'worked',
      );
    }
    const free = await bench.inside(
      `rm -r node_modules; ${IDENTITY}; cd sub; git -c core.hooksPath=/dev/null commit -q --allow-empty -m x; git log --oneline | wc -l`,
    );
    expect(free).toMatchObject({ stdout: '1\n', quarantined: [] });
  });
});
