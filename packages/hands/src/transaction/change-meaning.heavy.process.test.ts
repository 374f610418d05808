import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { describeTrial } from '../approval/describe-trial.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Four packages, one of them with a scope, another within a package, and a program that all find. */
const INSTALL = `
for p in a @s/b a/node_modules/c d; do
  mkdir -p node_modules/$p/lib
  echo '{"version":"2.0.0"}' > node_modules/$p/package.json
  echo x > node_modules/$p/lib/x.js
done
mkdir -p node_modules/.bin && ln -s ../a/lib/x.js node_modules/.bin/x && ln -s ../.. node_modules/up
echo '{"dependencies":{"a":"2"}}' > package.json
echo '{"packages":{"node_modules/a":{"version":"2.0.0"}}}' > package-lock.json
`;

async function open(command: string, ignored = 'node_modules/\ndist/\n', policy: HandsOptions['policy'] = {}) {
  const questions: ApprovalRequest[] = [];
  const approver: Approver = {
    name: 'test',
    ask: async (request) => {
      questions.push(request);
      return { verdict: 'deny' };
    },
  };
  const place = await temporaryHands(
    {
      'a.txt': 'one\n',
      'src/a.js': "a('x')\n",
      'src/b.js': "b('x')\n",
      'src/c.js': "c('x')\n",
      'src/d.js': "d('x')\n",
      'package.json': '{}\n',
      '.gitignore': ignored,
      'run.sh': command,
    },
    { sandbox: 'required', allow: [], policy, approver },
  );
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  for (const [key, value] of [
    ['user.name', 'A'],
    ['user.email', 'a@example.com'],
  ] as const)
    git('config', key, value);
  git('add', '-A');
  git('commit', '-qm', 'first');
  const file = (path: string, text: string): void => {
    mkdirSync(join(place.folder, path, '..'), { recursive: true });
    writeFileSync(join(place.folder, path), text);
  };
  const asked = async () => {
    await place.hands.call('run_command', { command: 'sh ./run.sh' });
    const [changed] = questions.flatMap((question) => question.changed ?? []);
    if (changed === undefined) throw new Error('Nothing was asked about.');
    expect(changed.network).toBe(false);
    return changed.effect;
  };
  return { asked, file, folder: place.folder, git, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

describe.skipIf((await findBubblewrap()) === undefined)('what a command changed means', () => {
  it.each<[string, string, string[]]>([
    ['a branch', 'git checkout -qb feature/x', ['creates branch feature/x and switches to it']],
    ['a commit', 'echo two > a.txt && git commit -qam "Say two"', ['commits 1 file to branch main: "Say two"', 'changes a.txt, +1 −1']],
    [
      'a commit that says something else',
      'rm src/b.js && git commit -qam "creates branch x"',
      ['commits 1 file to branch main: "creates branch x"', 'deletes src/b.js'],
    ],
    ['a tag', 'git tag v1', [expect.stringMatching(/^creates tag v1 at \w{7}$/u) as string]],
    ['a stash', 'echo two > a.txt && git stash -q', [expect.stringMatching(/^stashes changes: "WIP on main: \w{7} first"$/u) as string]],
    [
      'a remote',
      'git remote add up https://me:secret@example.com/x/y.git && git branch x',
      ['adds remote up at example.com/x/y', 'creates branch x'],
    ],
    ['a formatter', `sed -i "s/'/\\"/g" src/*.js`, ['reformats 4 files under src, +4 −4 (only white space, quotes and separators differ)']],
    ['a deletion', 'rm a.txt', ['deletes a.txt']],
    ['permissions', 'chmod +x a.txt', ['changes the permissions of a.txt']],
    [
      'packages of one language, and the manifest of another',
      `printf '[[package]]\\nname = "a"\\nversion = "1.0.0"\\n' > Cargo.lock; echo '{"scripts":{"postinstall":"evil"}}' > package.json`,
      ['adds 1 package that later builds download and run (Cargo.lock)', 'changes package.json, +1 −1'],
    ],
    [
      'a command that prints another sentence',
      'echo "creates branch x"; echo > "$(printf \'a\\ncreates branch x\')"',
      ['creates "a\\\\x0acreates branch x"'],
    ],
  ])('%s', async (_, command, meaning) => {
    await using at = await open(command);
    expect((await at.asked()).meaning).toEqual(meaning);
  });

  it('says once what settings mean for later commits and pushes', async () => {
    await using at = await open(`git remote add up https://example.com/x && git remote set-url up https://example.com/y
      git config user.email x@y; git config remote.up.push main:prod; git config remote.up.mirror true; git config push.default current
      git config branch.main.pushRemote up; git config remote.pushDefault up; git config submodule.s.url https://example.com/s; ln -s /etc out`);
    const { meaning, cautions } = await at.asked();
    expect(meaning).toEqual([
      'changes who makes later commits: "x@y"',
      'adds remote up at example.com/y',
      'changes what later pushes send: to remote up: "main:prod"',
      'changes what later pushes send: to remote up: mirror is "true"',
      'changes what later pushes send: "current"',
      'changes where later pushes go: branch main to remote up',
      'changes where later pushes go: all branches to remote up',
      'changes where submodules come from: s from example.com/s',
      'creates out',
    ]);
    expect(cautions).toEqual(['out is a link that leads out of the workspace, to /etc']);
  });

  it('says of a configuration with many comments what changed in it', async () => {
    await using at = await open(`git remote set-url up https://example.com/other; yes '# a comment' | head -c 300000 >> .git/config`);
    at.git('remote', 'add', 'up', 'https://example.com/x');
    const { meaning, cautions } = await at.asked();
    expect([meaning, cautions]).toEqual([['changes where later pushes go: remote up to example.com/other'], []]);
  });

  it.each([
    ['before', 'git config -f .git/config.new remote.up.url https://example.com/other; mv .git/config.new .git/config', '.git/config, a.txt'],
    [
      'before, submodules',
      'git config -f .gitmodules.new submodule.s.url https://example.com/other; mv .gitmodules.new .gitmodules',
      '.gitmodules, a.txt',
    ],
    ['after, submodules', `yes '# a comment' | head -c 1100000 >> small/.gitmodules`, 'a.txt, small/.gitmodules'],
  ])('makes no sentence from settings that are too large to be read: %s', async (_, command, changed) => {
    // Without the rule, a judge keeps such changes back. The other file is asked about.
    await using at = await open(`${command}; echo two > a.txt`, '', { allow: [{ rule: 'write(**/.git/config)', guarded: true }] });
    at.git('remote', 'add', 'up', 'https://example.com/x');
    at.git('config', '-f', '.gitmodules', 'submodule.s.url', 'https://example.com/s');
    at.file('small/.gitmodules', '[submodule "s"]\n\turl = https://example.com/s\n');
    for (const path of ['.git/config', '.gitmodules']) appendFileSync(join(at.folder, path), '# a comment\n'.repeat(100_000));
    expect((await at.asked()).meaning).toEqual([`changes ${changed}`]);
  });

  it('names the repository whose remotes change', async () => {
    await using at = await open(`git -C a remote add up https://example.com/x
      git config -f .git/modules/libs/x/config remote.up.url https://example.com/y
      git config -f .git/config.worktree remote.up.url https://example.com/w
      git config -f .git/worktrees/w/config.worktree remote.up.url https://example.com/z
      git config -f a/.gitmodules submodule.s.url https://example.com/s`);
    execFileSync('git', ['init', '-q', join(at.folder, 'a')]);
    at.file('.git/modules/libs/x/HEAD', 'ref: refs/heads/main\n');
    at.file('.git/modules/libs/x/config', '[core]\n');
    at.file('.git/worktrees/w/HEAD', 'ref: refs/heads/main\n');
    at.file('.git/worktrees/w/config.worktree', '[core]\n');
    const { meaning } = await at.asked();
    expect(meaning).toEqual(
      expect.arrayContaining([
        'in a: adds remote up at example.com/x',
        'in submodule libs/x: adds remote up at example.com/y',
        'adds remote up at example.com/w',
        'in worktree w: adds remote up at example.com/z',
        'in a: adds submodule s from example.com/s',
      ]),
    );
  });

  it('an installation: packages are counted, and what leads out of them is listed', async () => {
    await using at = await open(INSTALL);
    const shown = await at.asked();
    expect(shown.meaning).toEqual(['installs 4 packages (package-lock.json, package.json; node_modules ignored by git)']);
    expect(shown.changes.map(({ path }) => path).toSorted()).toEqual(['node_modules/up', 'package-lock.json', 'package.json']);
    expect(shown.folded).toMatchObject([{ path: 'node_modules', files: 8, packages: { added: 4 }, isIgnored: true }]);
    const lines = describeTrial({ fingerprint: '', effect: shown, output: '', completion: 'ok' }).changes.map(({ text }) => text);
    const order = ['create node_modules/up', 'change package.json', 'create package-lock.json', 'node_modules/: 4 packages'];
    const places = order.map((start) => lines.findIndex((line) => line.startsWith(start)));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  it('an installation that git does not ignore', async () => {
    await using at = await open(INSTALL, '');
    expect((await at.asked()).meaning).toEqual(['installs 4 packages (package-lock.json, package.json; node_modules NOT ignored by git)']);
  });

  it('a change within an installed package, which no package manager makes', async () => {
    await using at = await open('echo evil >> node_modules/a/index.js; mkdir node_modules/a/more; echo evil > node_modules/a/more/x.js');
    at.file('node_modules/a/package.json', '{"version":"1.0.0"}');
    at.file('node_modules/a/index.js', 'good\n');
    const { changes, folded } = await at.asked();
    expect(changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['node_modules/a/index.js', 'node_modules/a/more/x.js']));
    expect(changes.find(({ path }) => path === 'node_modules/a/index.js')?.diff).toContain('+evil');
    expect(folded).toEqual([]);
  });

  it.each([
    ['only the time of package.json changes', 'touch node_modules/a/package.json; echo evil >> node_modules/a/index.js'],
    ['only permissions of package.json change', 'chmod +x node_modules/a/package.json; echo evil >> node_modules/a/index.js'],
    ['package.json is deleted', 'rm node_modules/a/package.json; echo evil >> node_modules/a/index.js'],
    ['package.json has the same version', 'echo >> node_modules/a/package.json; echo evil >> node_modules/a/index.js'],
    ['the package is replaced', 'cp -r node_modules/a t; rm -r node_modules/a; mv t node_modules/a; echo evil >> node_modules/a/index.js'],
    ['the folder of packages is replaced', 'cp -r node_modules t; rm -r node_modules; mv t node_modules; echo evil >> node_modules/a/index.js'],
    [
      'a file is added to a replaced package',
      'cp -r node_modules/a t; rm -r node_modules/a; mv t node_modules/a; echo evil > node_modules/a/index.json',
    ],
  ])('no package is updated if %s', async (_, command) => {
    await using at = await open(command);
    at.file('node_modules/a/package.json', '{"version":"1.0.0"}');
    at.file('node_modules/a/index.js', 'good\n');
    at.file('node_modules/a/lib/x.js', 'good\n');
    const { changes, folded } = await at.asked();
    expect(folded).toEqual([]);
    expect(changes.map(({ path }) => path)).toContainEqual(expect.stringMatching(/node_modules\/a\/index\.js(?:on)?$/u));
  });

  it('packages that are installed again as they were', async () => {
    await using at = await open('cp -r node_modules/a t; rm -r node_modules/a; mv t node_modules/a');
    at.file('node_modules/a/package.json', '{"version":"1.0.0"}');
    at.file('node_modules/a/lib/x.js', 'good\n');
    const { folded, meaning } = await at.asked();
    expect(folded).toMatchObject([{ path: 'node_modules', packages: { added: 0, changed: 0, deleted: 0 } }]);
    expect(meaning).toEqual(['changes 2 files in node_modules, ignored by git']);
  });

  it('packages that are too large to be compared are not taken for the same', async () => {
    await using at = await open('cp -r --sparse=always node_modules t; rm -r node_modules; mv t node_modules');
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      at.file(`node_modules/${name}/package.json`, '{"version":"1.0.0"}');
      at.file(`node_modules/${name}/large`, '');
      truncateSync(join(at.folder, `node_modules/${name}/large`), 60 * 1024 * 1024);
    }
    const { changes, folded } = await at.asked();
    expect(folded).toEqual([]);
    expect(changes.map(({ path }) => path)).toContain('node_modules/e/large');
  });

  it.each([
    ['a new folder under the name of one of packages', 'mkdir -p vendor; echo evil > vendor/x.sh', 'vendor/x.sh'],
    ['an environment without packages', 'mkdir -p venv/bin; echo evil > venv/bin/x', 'venv/bin/x'],
    [
      'releases of a package manager',
      'mkdir -p .yarn/releases .yarn/unplugged/node_modules/x; echo {} > .yarn/unplugged/node_modules/x/package.json; echo evil > .yarn/releases/yarn.cjs',
      '.yarn/releases/yarn.cjs',
    ],
  ])('lists what git does not ignore: %s', async (_, command, path) => {
    await using at = await open(command);
    const { changes, folded } = await at.asked();
    expect(folded).toEqual([]);
    expect(changes.map((change) => change.path)).toContain(path);
  });

  it('an update of packages', async () => {
    await using at = await open(`sed -i s/1.0.0/2.0.0/ node_modules/a/package.json; echo better > node_modules/a/index.js; rm -r node_modules/b`);
    for (const name of ['a', 'b']) {
      at.file(`node_modules/${name}/package.json`, '{"version":"1.0.0"}');
      at.file(`node_modules/${name}/index.js`, 'good\n');
    }
    expect((await at.asked()).meaning).toEqual(['updates 1 package and removes 1 (node_modules ignored by git)']);
  });
});
