import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { readGit as readWith } from './git-words.ts';
import { GIT } from './programs/git.ts';
import { shellEffects } from './shell-effects.ts';

const readGit = (words: ReadonlyArray<string | undefined>) => readWith(GIT, words);

const reasons = (command: string): readonly string[] => readGit(command.split(' ')).reasons;

describe('options that run a program', () => {
  // git takes a long option by any beginning of it that no other has: one letter is enough where a subcommand has few.
  const LONG = [
    'upload-pack',
    'receive-pack',
    'exec',
    'ext-diff',
    'textconv',
    'open-files-in-pager',
    'config',
    'template',
    'separate-git-dir',
    'extcmd',
    'tool',
  ];
  it.each(LONG.flatMap((name) => [`--${name}`, `--${name}=./x`, `--${name.slice(0, 3)}=./x`, `--${name.slice(0, 1)}=./x`, `--${name.slice(0, 1)}`]))(
    'git any %s',
    (option) => {
      expect(reasons(`git any ${option} a`)).toEqual([expect.stringContaining('can run a program')]);
      expect(reasons(`git any -- ${option}`)).toEqual([]);
    },
  );

  it.each([
    'git grep -Ox a',
    'git grep -iO a',
    'git rebase -x ./x',
    'git clone -u ./x a',
    'git clone -qc a=b a',
    'git ls-remote -u ./x .',
    'git difftool -x y',
  ])('%s', (command) => {
    expect(reasons(command)).not.toEqual([]);
  });

  it.each(['git grep -i a', 'git commit -x', 'git status --short', 'git log --graph', 'git push --force', 'git add -- --exec'])(
    'not %s',
    (command) => {
      expect(reasons(command)).toEqual([]);
    },
  );

  it.each([
    'git ls-remote --u=./x .',
    'git clone --u=./x . a',
    'git clone --c=core.fsmonitor=./x . a',
    'git init --t=x sub',
    'git archive --e=./x HEAD',
    'git push --e=./x a',
  ])('no pattern covers %s', (command) => {
    const allow = ['ls-remote', 'clone', 'init', 'archive', 'push'].map((name) => `exec(git ${name} *)`);
    const policy = testPolicy({ mode: 'auto-edit', allow });
    expect(decideCommand(policy, command).verdict).toBe('ask');
    expect(decideCommand(policy, command.replace(/ --\S+/u, '')).verdict).toBe('allow');
  });
});

it.each(['git archive --o=src/x HEAD', 'git archive --o src/x HEAD', 'git format-patch --output-d=src/x', 'git diff --output=src/x'])(
  'a beginning of an option names what is written: %s',
  (command) => {
    expect(shellEffects(command).writes).toMatchObject([{ path: 'src/x' }]);
  },
);

describe('what is before the subcommand', () => {
  it.each(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix', '--attr-source'])(
    '%s takes a word',
    (option) => {
      expect(readGit(['git', option, 'value', 'push', 'a'])).toMatchObject({ subcommand: 'push', canonical: ['git', 'push', 'a'], network: true });
      expect(reasons(`git ${option} value push`)).toEqual([expect.stringContaining('changes what git runs or where')]);
    },
  );

  it.each(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--no-replace-objects', '--version', '--help'])(
    '%s changes nothing',
    (option) => {
      expect(readGit(['git', option, 'status'])).toMatchObject({ subcommand: 'status', reasons: [], network: false });
    },
  );

  it('is not known where a word is not', () => {
    expect(readGit(['git', undefined, 'push'])).toMatchObject({ subcommand: '', network: false });
  });
});

it.each(['push', 'pull', 'fetch', 'clone', 'ls-remote', 'remote update', 'submodule update', 'send-email', 'archive'])(
  'git %s may talk to another machine',
  (command) => {
    expect(readGit(['git', ...command.split(' ')]).network).toBe(true);
  },
);

it.each(['remote', 'remote -v', 'remote get-url origin', 'submodule status'])('git %s talks to no other machine', (command) => {
  expect(readGit(['git', ...command.split(' ')])).toMatchObject({ network: false, onlyReads: true });
});

it.each([
  ['rm', 'deleteTree'],
  ['mv', 'move'],
  ['clean', 'deleteTree'],
  ['apply', 'read'],
  ['grep', 'readTree'],
  ['init', 'writeTree'],
  ['restore', 'write'],
  ['status', undefined],
  ['constructor', undefined],
])('the operands of git %s: %s', (name, role) => {
  expect(readGit(['git', name]).operands).toBe(role);
});

it.each([
  ['--output', 'write'],
  ['--output-directory', 'writeTree'],
  ['--file', 'read'],
  ['--pathspec-from-file', 'read'],
  ['--exclude-from', 'read'],
  ['--index-filter', 'code'],
  ['--tree-filter', 'code'],
  ['--contents', 'read'],
  ['--ignore-revs-file', 'read'],
])('the value of %s: %s', (option, role) => {
  expect(readGit(['git', 'diff']).options[option]).toBe(role);
});

it.each([
  ['archive', 'writeTree'],
  ['format-patch', 'writeTree'],
  ['commit', undefined],
])('the value of -o in git %s: %s', (name, role) => {
  expect(readGit(['git', name]).options['-o']).toBe(role);
});
