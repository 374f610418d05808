import type { ProgramRow } from './row.ts';

/** Fixes the names and times that git writes to its objects and logs. */
const WHEN = 'export GIT_AUTHOR_DATE=@1700000000 GIT_COMMITTER_DATE=@1700000000 GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; ';
const COMMITTED = `${WHEN} git init -q -b main . && git config user.name a && git config user.email a@b.c && git add -A && git commit -qm first`;
const BRANCHES = `${COMMITTED} && git switch -qc other && echo o > o && git add o && git commit -qm other && git switch -q main && echo m > m && git add m && git commit -qm main`;
/** Creates a remote repository in a folder of the workspace, one commit ahead of its clone. */
const REMOTE = `mkdir -p remote && mv a.txt d remote/ && cd remote && ${COMMITTED} && cd .. && git clone -q --no-hardlinks remote clone && cd clone && git config user.name a && git config user.email a@b.c && cd ../remote && echo ahead >> a.txt && git commit -qam ahead`;
const TELLS =
  'git status --porcelain=v2 --branch; git ls-files -s; git log --all --format=%H; git stash list; git worktree list; git submodule status; git fsck 2>&1';
const GIT = {
  needs: ['git'],
  files: { 'a.txt': 'one\n', 'd/b.txt': 'two\n' },
  before: COMMITTED,
  // The index contains times and inodes of files.
  random: /(?:^|\/)index$/u,
  tells: TELLS,
} as const;
/** A clone next to its remote. */
const CLONED = { ...GIT, before: REMOTE, random: /(?:^|\/)(?:index|FETCH_HEAD)$/u, tells: `cd clone; ${TELLS}` } as const;

export const GIT_ROWS: readonly ProgramRow[] = [
  { ...GIT, name: 'git status', reads: true, before: `${COMMITTED} && echo y >> a.txt`, command: 'git status' },
  { ...GIT, name: 'git init', before: 'true', needsProtected: 'always', command: 'git init -q -b main . && git add -A' },
  { ...GIT, name: 'git add', command: 'echo x > new; echo y >> a.txt; rm d/b.txt; git add -A' },
  { ...GIT, name: 'git commit', command: `${WHEN} echo y >> a.txt; git commit -qam second` },
  { ...GIT, name: 'git commit --amend', losesLive: true, command: `${WHEN} echo y >> a.txt; git commit -qa --amend -m instead` },
  { ...GIT, name: 'git checkout', before: BRANCHES, command: `${WHEN} git checkout -q other` },
  { ...GIT, name: 'git checkout -b', command: `${WHEN} git checkout -q -b new && echo n > n && git add n && git commit -qm n` },
  {
    ...GIT,
    name: 'git switch -c with tracking',
    before: `${BRANCHES} && git config remote.origin.url /nowhere && git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' && git update-ref refs/remotes/origin/far other`,
    needsProtected: 'live',
    command: `${WHEN} git switch -qc far --track origin/far`,
  },
  { ...GIT, name: 'git rebase', losesLive: true, before: BRANCHES, command: `${WHEN} git rebase -q other` },
  {
    ...GIT,
    name: 'git rebase -i --autosquash',
    losesLive: true,
    before: `${BRANCHES} && echo f >> m && git commit -qam 'fixup! main'`,
    command: `${WHEN} GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash HEAD~2`,
  },
  { ...GIT, name: 'git merge', before: BRANCHES, command: `${WHEN} git merge -q -m merged other` },
  { ...GIT, name: 'git cherry-pick', before: BRANCHES, command: `${WHEN} git cherry-pick other > /dev/null` },
  { ...GIT, name: 'git stash', before: `${COMMITTED} && echo changed >> a.txt`, command: `${WHEN} git stash -q && git stash apply -q` },
  { ...GIT, name: 'git mv and git rm', command: 'git mv a.txt moved && git rm -q d/b.txt' },
  {
    ...GIT,
    name: 'git reset --hard',
    losesLive: true,
    before: `${BRANCHES} && echo changed >> a.txt`,
    command: `${WHEN} git reset -q --hard HEAD~1`,
  },
  { ...GIT, name: 'git clean', losesLive: true, before: `${COMMITTED} && mkdir x && echo u > x/u && echo v > v`, command: 'git clean -fdq' },
  { ...GIT, name: 'git tag', command: `${WHEN} git tag -a -m v v1 && git tag light` },
  {
    ...GIT,
    name: 'git apply',
    losesLive: true,
    before: `${COMMITTED} && echo y >> a.txt && git diff > p && git checkout -q a.txt`,
    command: 'git apply p',
  },
  { ...GIT, name: 'git worktree', command: `${WHEN} git worktree add -q -b side tree && cd tree && echo s > s && git add s && git commit -qm side` },
  {
    ...GIT,
    name: 'git submodule',
    before: `${COMMITTED} && git clone -q --bare . ../origin-of-sub 2> /dev/null; mkdir vendor && mv ../origin-of-sub vendor/sub.git`,
    needsProtected: 'live',
    command: `${WHEN} git -c protocol.file.allow=always submodule --quiet add file://$PWD/vendor/sub.git sub 2> /dev/null`,
  },
  {
    ...GIT,
    name: 'git clone of a path',
    before: `mkdir a b && mv a.txt d a && cd a && ${COMMITTED}`,
    needsProtected: 'always',
    command: `${WHEN} git clone -q ./a ./b/c && cd b/c && git config user.name a && git config user.email a@b.c && git remote get-url --all origin > ../url; git gc -q`,
    random: /(?:^|\/)(?:index|url)$|^b\/c\/\.git\/(?:objects|logs|info\/refs)/u,
    tells: 'cd b/c; git status --porcelain=v2 --branch; git ls-files -s; git log --all --format=%H; git fsck 2>&1; git config remote.origin.url',
  },
  { ...CLONED, name: 'git fetch', command: `${WHEN} cd clone && git fetch -q` },
  { ...CLONED, name: 'git pull', command: `${WHEN} cd clone && git pull -q --ff-only` },
  {
    ...CLONED,
    name: 'git push',
    command: `${WHEN} cd clone && git switch -qc mine && echo m > m && git add m && git commit -qm m && git push -q origin mine`,
  },
  { ...GIT, name: 'git gc', before: BRANCHES, command: 'git gc -q', tellingWrites: true },
];
