import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { openRepository, person, yes } from '../testing/asked-repository.ts';

const no = { verdict: 'deny', reason: 'no' } as const;
const policy = { mode: 'auto-edit' } as const;

async function open(...answers: Parameters<typeof person>) {
  const approver = person(...answers);
  const at = await openRepository({ approver, policy });
  for (const [path, text] of [
    ['env/pyvenv.cfg', ''],
    ['d/x.js', 'evil'],
    ['move/bundle/x.rb', ''],
    ['.venv/bin/python', 'python'],
  ] as const) {
    mkdirSync(dirname(at.at(path)), { recursive: true });
    writeFileSync(at.at(path), text);
  }
  execFileSync(
    'sh',
    ['-c', 'printf "env/\\nvendor/\\n.venv/\\n*.beam\\n" >> .gitignore; git add -A; git -c user.name=a -c user.email=a@b commit -qm more'],
    {
      cwd: at.folder,
    },
  );
  return { ...at, approver, status: () => at.git('status', '--short', '--ignored'), [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

describe.skipIf((await findBubblewrap()) === undefined)('what a command installs, in mode auto-edit', () => {
  it.each([
    ['a package', 'echo evil > node_modules/a/index.js'],
    ['a new package', 'mkdir node_modules/b; echo evil > node_modules/b/index.js'],
    ['a link to a package', 'ln -s ../d node_modules/b'],
    ['a program of a package', 'chmod +x node_modules/a/index.js'],
    ['all packages', 'rm -r node_modules; cp -r d node_modules'],
    ['packages in a new folder', 'mkdir -p app/deep/node_modules/x; echo evil > app/deep/node_modules/x/index.js'],
    ['packages in a folder that moves', 'mv d d2; mkdir -p d2/node_modules/x; echo evil > d2/node_modules/x/index.js; mv d2 d3'],
    ['an environment of Python', 'echo evil > .venv/bin/python'],
    ['an environment of Python under another name', 'mkdir -p other/bin; echo > other/pyvenv.cfg; echo evil > other/bin/python'],
    ['an environment of Python that git ignores', 'mkdir -p env/bin; echo evil > env/bin/python'],
    ['compiled Python', 'mkdir __pycache__; echo evil > __pycache__/a.cpython-313.pyc'],
    ['a provider of Terraform', 'mkdir -p .terraform/providers; echo evil > .terraform/providers/x'],
    ['packages of Ruby', 'mkdir -p vendor/bundle; echo evil > vendor/bundle/x.rb'],
    ['packages of PHP that git ignores', 'mkdir -p vendor/a/b; echo evil > vendor/a/b/x.php'],
    ['packages of Yarn', 'mkdir -p .yarn/unplugged/x; echo evil > .yarn/unplugged/x/index.js'],
    ['packages in a new folder whose name gets longer in lower case', 'mkdir -p İ/node_modules/x; echo evil > İ/node_modules/x/index.js'],
    ['packages in a new folder whose name stands for a slash', 'mkdir -p ℀/node_modules/x; echo evil > ℀/node_modules/x/index.js'],
    ['an environment that git ignores, in a new folder', 'mkdir -p app/env/bin; echo evil > app/env/bin/python'],
    ['packages that git ignores, deep in a new folder', 'mkdir -p app/a/b/vendor/c; echo x > app/x; echo evil > app/a/b/vendor/c/x.php'],
    ['packages in a new folder that git ignores', 'mkdir -p notes/deps/a; echo evil > notes/deps/a/x.ex'],
    ['an environment that git ignores, in a folder that moves', 'mv d d2; mkdir -p d2/env/bin; echo evil > d2/env/bin/python; mv d2 d3'],
    ['one file that git ignores, in a new folder', 'mkdir -p deps/a; echo x > deps/a/x; echo evil > deps/a/y.beam'],
    ['packages that git ignores from then on', 'mkdir -p lib/deps; echo evil > lib/deps/x; echo deps/ >> .gitignore'],
    ['packages with rules for git of their own', "mkdir -p lib/deps; echo evil > lib/deps/x; echo '*' > lib/deps/.gitignore"],
    ['packages in a repository of their own', 'mkdir -p lib/deps; echo evil > lib/deps/x; G=.git; cp -r $G lib/$G; echo deps/ > lib/$G/info/exclude'],
    ['an environment in a new folder whose name is no text', 'D=$(printf "a\\377"); mkdir -p $D/env/bin; echo evil > $D/env/bin/python'],
    ['an environment with a name that is no text', 'D=$(printf "env/\\377"); mkdir -p $D/bin; echo evil > $D/bin/python'],
    ['an environment with a backslash in a name', "mkdir -p 'a\\x/env/bin'; echo evil > 'a\\x/env/bin/python'"],
    ['an environment with a line end in a name', 'D=$(printf \'a\\nb\'); mkdir -p "$D/env/bin"; echo evil > "$D/env/bin/python"'],
    ['an environment in capitals', 'mkdir -p app/Vendor; echo evil > app/Vendor/x; echo Vendor >> .gitignore'],
    ['an environment of tox', 'mkdir -p .tox/py/bin; echo evil > .tox/py/bin/python'],
  ])('needs a yes: %s', async (_, command) => {
    await using at = await open(no, yes);
    const before = at.status();
    expect(await at.run(command)).toMatchObject({ meta: { ran: 'copy' } });
    expect([at.approver.asked.length, at.status(), readFileSync(at.at('node_modules/a/index.js'), 'utf8')]).toEqual([1, before, '']);
    expect(await at.run(command)).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect(at.approver.asked).toHaveLength(2);
  });

  it.each([
    ['a source', 'echo more >> a.txt; mkdir -p src; echo x > src/a.ts'],
    ['what is not ignored', 'mkdir -p vendored lib/vendor; echo x > vendored/a.go; echo x > bin; echo x > .terraform.lock.hcl'],
    ['what is not ignored, in a new folder', 'mkdir -p app/third/deps; echo x > app/third/deps/a; mkdir -p new/env'],
    ['what git ignores from then on, elsewhere', 'mkdir -p app lib/deps; echo deps/ > app/.gitignore; echo x > lib/deps/a'],
    ['rules for git', 'mkdir app; echo deps/ > app/.gitignore; echo x/ >> .gitignore'],
    ['reports', 'mkdir coverage; echo x > coverage/lcov.info'],
    [
      'caches of checkers',
      'mkdir .pytest_cache node_modules/.cache node_modules/.tmp; echo x > node_modules/.tmp/app.tsbuildinfo; echo x > .pytest_cache/x',
    ],
    ['nothing', 'touch node_modules/a/index.js'],
  ])('asks nothing about other changes: %s', async (_, command) => {
    await using at = await open();
    expect(await at.run(command)).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect([at.approver.asked, at.hands.pendingChanges().filter(({ why }) => !why.startsWith('build output'))]).toEqual([[], []]);
  });

  it('asks about more files than it looks up', async () => {
    await using at = await open(no);
    await at.run('mkdir -p app/deps; cd app/deps; seq 10001 | xargs touch');
    expect(at.approver.asked).toHaveLength(1);
  });

  it('says before it runs that it asks', async () => {
    await using at = await open();
    const told = at.hands.explain('run_command', { command: 'cp d/x.js node_modules/a/index.js' });
    expect((await told).outcome).toMatch(/asks about what it changes$/u);
  });

  it.each([
    ['a rule about the place', { mode: 'auto-edit', allow: ['write(node_modules/**)'] }],
    ['a rule about all places', { mode: 'auto-edit', allow: ['write'] }],
    ['a rule about the command', { mode: 'auto-edit', allow: ['exec(mkdir *)', 'exec(touch *)'] }],
    ['the mode', { mode: 'trusted' }],
  ] as const)('needs none with %s', async (_, allowing) => {
    const approver = person();
    await using at = await openRepository({ approver, policy: { ...allowing, allow: 'allow' in allowing ? [...allowing.allow] : [] } });
    expect(await at.run('mkdir -p node_modules/b && touch node_modules/b/index.js')).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect([existsSync(at.at('node_modules/b/index.js')), approver.asked]).toEqual([true, []]);
  });

  it('is taken back without a question', async () => {
    await using at = await open(yes);
    await at.run('echo evil > node_modules/a/index.js');
    expect(await at.hands.undo({ last: 1 })).toMatchObject({ ok: true });
    expect([readFileSync(at.at('node_modules/a/index.js'), 'utf8'), at.approver.asked.length]).toEqual(['', 1]);
  });
});

describe('what a file tool installs, in mode auto-edit', () => {
  it.each([
    ['write_file', { path: 'node_modules/a/index.js', content: 'evil' }],
    ['write_file', { path: '.venv/bin/python', content: 'evil' }],
    ['write_file', { path: '.terraform/providers/x', content: 'evil' }],
    ['write_file', { path: 'other/pyvenv.cfg', content: '' }],
    ['write_file', { path: 'app/NODE_MODULES/x/index.js', content: 'evil' }],
    ['create_directory', { path: 'd/node_modules' }],
    ['edit_file', { path: '.venv/bin/python', old_text: 'python', new_text: 'evil' }],
    ['apply_patch', { patch: '*** Begin Patch\n*** Add File: node_modules/b/index.js\n+evil\n*** End Patch' }],
    ['move_path', { from: 'd', to: 'node_modules/b' }],
    ['move_path', { from: 'd/x.js', to: '.venv/x.js' }],
    ['delete_file', { path: '.venv/bin/python' }],
  ])('needs a yes: %s %j', async (tool, input) => {
    await using at = await open(no, yes);
    expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await at.hands.call(tool, input)).toMatchObject({ ok: true });
    expect(at.approver.asked).toHaveLength(2);
  });

  it('is not moved there with the folder around it', async () => {
    await using at = await open();
    expect(await at.hands.call('move_path', { from: 'move', to: 'vendor' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    // The control: under another name.
    expect(await at.hands.call('move_path', { from: 'move', to: 'moved' })).toMatchObject({ ok: true });
  });
});
