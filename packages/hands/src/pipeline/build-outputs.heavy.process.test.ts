import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { createHands } from '../runtime/create-hands.ts';
import { openRepository, person, yes } from '../testing/asked-repository.ts';

/** Writes files as a person would. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const stdout = (text: string) => ({ ok: true, data: { stdout: text } });

describe.skipIf((await findBubblewrap()) === undefined)('build output of a command', () => {
  it('is seen by later commands, and reaches the folder by a yes', async () => {
    const approver = person();
    await using at = await openRepository({ approver });
    const built = await at.run('mkdir -p dist/sub && echo built > dist/a.js && echo b > dist/sub/b.js');
    expect(built).toMatchObject({ ok: true, meta: { ran: 'copy' } });
    expect(built.ok && built.output).toMatch(/Build output is kept apart from the folder: dist\. .*synapse changes apply c-[0-9a-f]+/u);
    expect(existsSync(at.at('dist'))).toBe(false);
    // On a copy, and where it only reads.
    expect(await at.run('cat dist/a.js; echo more >> dist/a.js')).toMatchObject(stdout('built\n'));
    expect(await at.run('cat dist/a.js')).toMatchObject(stdout('built\nmore\n'));
    expect(await at.run('rm dist/sub/b.js; ls -R dist; git status --short')).toMatchObject(stdout('dist:\na.js\nsub\n\ndist/sub:\n'));
    expect(approver.asked).toEqual([]);
    const [pending, ...others] = at.hands.pendingChanges();
    expect([pending?.why, others]).toEqual(['build output that later commands see: dist', []]);
    await at.hands.applyPending(pending?.handle ?? '');
    expect([readFileSync(at.at('dist/a.js'), 'utf8'), existsSync(at.at('dist/sub/b.js'))]).toEqual(['built\nmore\n', false]);
    expect(await at.run('cat dist/a.js')).toMatchObject(stdout('built\nmore\n'));
    expect(at.hands.pendingChanges()).toEqual([]);
  });

  it('leaves what a person built as it is, and what a person builds later counts', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'dist/a.js': 'person', 'dist/deep/b.js': 'person' });
    await at.run('echo poisoned > dist/a.js; rm -r dist/deep; mkdir dist/deep; echo x > dist/deep/c.js');
    expect([readFileSync(at.at('dist/a.js'), 'utf8'), existsSync(at.at('dist/deep/b.js'))]).toEqual(['person', true]);
    expect(await at.run('cat dist/a.js; ls dist/deep')).toMatchObject(stdout('poisoned\nc.js\n'));
    // In a folder that the workspace has too.
    await at.run('rm dist/deep/c.js');
    expect(await at.run('ls dist/deep')).toMatchObject(stdout(''));
    write(at.folder, { 'dist/a.js': 'person again' });
    expect(await at.run('cat dist/a.js; ls dist/deep')).toMatchObject(stdout('person againb.js\n'));
    expect(at.hands.pendingChanges()).toEqual([]);
  });

  it('keeps times, so that builds know what is new', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'dist/script': 'person' });
    const time = 1_600_000_000;
    utimesSync(at.at('dist/script'), time, time);
    await at.run('echo poison > dist/script; touch -d @1600000000 dist/script; chmod +x dist/script');
    expect([readFileSync(at.at('dist/script'), 'utf8'), statSync(at.at('dist/script')).mode & 0o111]).toEqual(['person', 0]);
    expect(await at.run('stat -c %Y dist/script')).toMatchObject(stdout(`${time}\n`));
  });

  it.each(['ask', 'auto-edit'] as const)('asks nothing in mode %s, beside reports that are applied', async (mode) => {
    const approver = person();
    await using at = await openRepository({ approver, policy: { mode } });
    expect(await at.run('mkdir -p dist coverage; echo 1 > dist/a; ln -s /etc dist/link; echo 2 > coverage/lcov.info')).toMatchObject({ ok: true });
    expect([existsSync(at.at('dist')), readFileSync(at.at('coverage/lcov.info'), 'utf8'), approver.asked]).toEqual([false, '2\n', []]);
  });

  it('is left out of a question about the rest', async () => {
    const approver = person({ verdict: 'deny', reason: 'no' }, yes);
    await using at = await openRepository({ approver });
    const command = 'mkdir -p dist; echo 1 > dist/a; echo changed > a.txt';
    expect(await at.run(command)).toMatchObject({ meta: { ran: 'copy' } });
    expect(approver.asked[0]?.effects.join()).not.toContain('dist');
    expect(await at.run('cat dist/a a.txt')).toMatchObject(stdout('1\nA\n'));
    await at.run(command);
    expect([readFileSync(at.at('a.txt'), 'utf8'), existsSync(at.at('dist'))]).toEqual(['changed\n', false]);
  });

  it.each([
    ['the repository does not ignore it', 'mkdir -p build; echo 1 > build/a', {}],
    ['it is a link', 'ln -s node_modules dist', {}],
  ])('is asked about if %s', async (_, command, policy) => {
    const approver = person({ verdict: 'deny', reason: 'no' });
    await using at = await openRepository({ approver, policy });
    await at.run(command);
    expect(approver.asked).toHaveLength(1);
  });

  it.each([
    ['with what the repository tracks', 'echo 1 > dist/keep; echo evil > dist/a'],
    ['with what is kept from the workspace', 'v=vscode; echo evil > dist/a; mkdir dist/.$v; echo x > dist/.$v/tasks.json'],
  ])('is asked about in mode auto-edit if it comes %s', async (_, command) => {
    const approver = person({ verdict: 'deny', reason: 'no' });
    await using at = await openRepository({ approver, policy: { mode: 'auto-edit' } });
    write(at.folder, { '.gitignore': 'dist/*\n!dist/keep\n', 'dist/keep': '' });
    at.git('add', '.');
    at.git('commit', '-qm', 'keep');
    await at.run(command);
    expect([approver.asked.length, existsSync(at.at('dist/a'))]).toEqual([1, false]);
  });

  it.each([
    ['a rule allows writing', { policy: { allow: ['write(dist/**)', 'write(dist)'] } }],
    ['a person allowed the command', { policy: { allow: ['exec(mkdir *)', 'exec(echo *)'] } }],
    ['the mode trusts commands', { policy: { mode: 'trusted' as const } }],
  ])('goes into the folder if %s', async (_, options) => {
    await using at = await openRepository({ approver: person(), ...options });
    expect(await at.run('mkdir -p dist; echo 1 > dist/a')).toMatchObject({ ok: true });
    expect(readFileSync(at.at('dist/a'), 'utf8')).toBe('1\n');
  });

  it('in a package of the repository, and beside installed packages, is kept as well', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'packages/a/package.json': '{}', 'node_modules/.vite/old': 'person' });
    await at.run('mkdir -p packages/a/dist node_modules/.vite; echo 1 > packages/a/dist/x; echo 2 > node_modules/.vite/deps');
    expect([existsSync(at.at('packages/a/dist')), existsSync(at.at('node_modules/.vite/deps'))]).toEqual([false, false]);
    expect(await at.run('cat packages/a/dist/x node_modules/.vite/*; ls packages/a')).toMatchObject(stdout('1\n2\npersondist\npackage.json\n'));
    // A change of the folders around it is asked about as before, and applied.
    await using other = await openRepository({ approver: person(yes) });
    write(other.folder, { 'packages/a/package.json': '{}' });
    await other.run('mkdir packages/a/dist; echo 1 > packages/a/dist/x');
    await other.run('echo 2 > packages/a/new');
    expect([readFileSync(other.at('packages/a/new'), 'utf8'), existsSync(other.at('packages/a/dist'))]).toEqual(['2\n', false]);
  });

  it.each(['ask', 'auto-edit'] as const)('is kept in mode %s if the workspace is a folder of the repository, whatever its names', async (mode) => {
    const approver = person();
    await using at = await openRepository({ approver });
    write(at.folder, { 'packages/a/.gitignore': 'build/\n', 'packages/a/build/a.js': 'person' });
    const workspace = at.at('packages/a');
    await using hands = await createHands({
      workspace,
      stateFolder: join(at.outside, 'state'),
      configFolder: join(at.outside, 'config'),
      policy: { mode },
      approver,
    });
    const command = 'echo evil > build/a.js; echo evil > "build/\u00e9\\"b.js"';
    expect(await hands.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect([readFileSync(join(workspace, 'build/a.js'), 'utf8'), readdirSync(join(workspace, 'build')), approver.asked]).toEqual([
      'person',
      ['a.js'],
      [],
    ]);
  });

  it('is kept in mode auto-edit if no repository tells what it ignores', async () => {
    const approver = person();
    await using at = await openRepository({ approver, policy: { mode: 'auto-edit' } });
    write(at.folder, { 'dist/a.js': 'person' });
    rmSync(at.at('.git'), { recursive: true });
    expect(await at.run('echo evil > dist/a.js; echo more >> a.txt')).toMatchObject({ ok: true });
    expect([readFileSync(at.at('dist/a.js'), 'utf8'), readFileSync(at.at('a.txt'), 'utf8'), approver.asked]).toEqual(['person', 'A\nmore\n', []]);
  });

  it('is dropped by a person', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir dist; echo 1 > dist/a');
    await at.hands.dropPending(at.hands.pendingChanges()[0]?.handle ?? '');
    expect(await at.run('ls -A')).toMatchObject({ ok: true, data: { stdout: expect.not.stringContaining('dist') as string } });
  });
});
