import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openRepository, person, yes } from '../testing/asked-repository.ts';

describe('a rule that asks about every command', () => {
  it.each(['exec', '*'])('%s: hides no files from those that a person allows', async (rule) => {
    const approver = person(yes);
    await using at = await openRepository({ approver, policy: { ask: [rule] } });
    expect(await at.run('cat a.txt package.json')).toMatchObject({ ok: true, data: { stdout: 'A\n{}\n', exit_code: 0 } });
    expect(approver.asked).toHaveLength(1);
  });

  it('read_file: does hide them', async () => {
    await using at = await openRepository({ approver: person(yes, yes), policy: { deny: ['read(a.txt)'] } });
    expect(await at.run('cat package.json; ls; cat *.txt')).toMatchObject({ data: { stdout: expect.not.stringContaining('A\n') as string } });
  });
});

describe('a place of which other programs execute the content', () => {
  it.each([
    ['a hook', 'echo x > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
    ['a file of an editor', 'mkdir -p .vscode && echo x > .vscode/tasks.json', '.vscode/tasks.json'],
    ['all files of an editor', 'cp -r d .vscode', '.vscode/tasks.json'],
  ])('gets what a person allowed by its name: %s', async (_, command, path) => {
    const approver = person(yes, yes);
    await using at = await openRepository({ approver, policy: { allow: ['exec(mkdir *)', 'exec(cp *)'] } });
    execFileSync('sh', ['-c', 'mkdir d; echo x > d/tasks.json'], { cwd: at.folder });
    expect(await at.run(command)).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toHaveLength(1);
    expect(approver.asked[0]?.effects.join()).toContain(path.split('/')[0]);
    expect(readFileSync(at.at(path), 'utf8')).toBe('x\n');
  });

  it.each(['.git/hooks/pre-commit', '.vscode/tasks.json', '.git/config'])('gets it from a file tool too: %s', async (path) => {
    await using at = await openRepository({ approver: person(yes) });
    const content = '[core]\n\tfsmonitor = ./x\n';
    expect(await at.hands.call('write_file', { path, content })).toMatchObject({ ok: true });
    expect(readFileSync(at.at(path), 'utf8')).toBe(content);
  });

  it('is deleted, if a person allowed that by its name', async () => {
    await using at = await openRepository({ approver: person(yes) });
    execFileSync('sh', ['-c', 'mkdir .vscode; echo x > .vscode/tasks.json'], { cwd: at.folder });
    expect(await at.run('rm -rf .vscode')).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
    expect(existsSync(at.at('.vscode'))).toBe(false);
  });

  it.each([
    ['no place', 'd=hooks; echo x > .git/$d/pre-commit; touch b', '.git/hooks/pre-commit'],
    ['another place', 'echo x > .git/hooks/pre-push; d=hooks; echo x > .git/$d/pre-commit; touch b', '.git/hooks/pre-commit'],
    ['all of the workspace', 'git apply p.patch; touch b', '.vscode'],
    ['a file in it, by a link in its place', 'v=vscode; ln -s d .$v; echo x > .vscode/tasks.json; touch b', '.vscode'],
  ])('gets nothing from a command that names %s, and the answer says so', async (_, command, path) => {
    await using at = await openRepository({ approver: person(yes, yes) });
    const patch =
      'diff --git a/.vscode/tasks.json b/.vscode/tasks.json\nnew file mode 100644\n--- /dev/null\n+++ b/.vscode/tasks.json\n@@ -0,0 +1 @@\n+x\n';
    await writeFile(at.at('p.patch'), patch);
    execFileSync('mkdir', ['d'], { cwd: at.folder });
    const result = await at.hands.call('run_command', { command }, { asksFirst: 'all' });
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining(`moved to quarantine: ${path}`) as string });
    expect([existsSync(at.at('b')), existsSync(at.at(path))]).toEqual([true, false]);
  });
});

describe('does not ask', () => {
  it.each([
    ['where nothing changed', 'sh -c "echo hi"'],
    ['about a rewrite of the same', 'cp a.txt b && mv b a.txt'],
    ['about git looking at its files', 'touch a.txt; git status --short'],
    ['about output of a build that is ignored', 'mkdir -p dist/js coverage && echo 1 > dist/js/a.js && echo 1 > coverage/x'],
    ['about a cache that ignores itself', "mkdir -p .pytest_cache/v && echo '*' > .pytest_cache/.gitignore && echo 1 > .pytest_cache/v/x"],
    ['about caches beside packages', 'mkdir -p node_modules/.vite && echo 1 > node_modules/.vite/x'],
    // None of these reaches the folder: see build-outputs.heavy.process.test.ts.
    ['about programs in new output', 'mkdir -p dist/.venv/bin && echo 1 > dist/.venv/bin/activate'],
    ['about a link in new output', 'mkdir -p dist/x && ln -s ../../a.txt dist/x/l'],
  ])('%s', async (_, command) => {
    const approver = person();
    await using at = await openRepository({ approver });
    expect(await at.run(command)).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
    expect(approver.asked).toEqual([]);
    expect(['dist', 'node_modules/.vite'].filter((path) => existsSync(at.at(path)))).toEqual([]);
  });

  it('about a file that was written as it was, as git does with its configuration, but about what else changed', async () => {
    const approver = person({ verdict: 'deny' }, yes);
    await using at = await openRepository({ approver });
    at.git('branch', 'x');
    const ran = await at.run('git branch -d x');
    const reasons = approver.asked.map(({ reason, changed }) => [reason, changed?.headline]);
    expect(reasons).toEqual([['commits, branches and the index need approval', expect.stringContaining('deleted ')]]);
    expect(ran).toMatchObject({ ok: true });
    await at.run('g=git; cp .$g/config c && mv c .$g/config && mkdir dist && touch dist/x');
    expect(approver.asked).toHaveLength(1);
    await at.run('g=git; cp .$g/config c && printf "[user]\\n\\tname = b\\n" >> c && mv c .$g/config');
    expect(approver.asked[1]?.reason).toBe('changes to .git/config need approval');
  });

  // The control: these look alike, and are more.
  it.each([
    ['output that the repository does not ignore', 'mkdir -p build && echo 1 > build/x'],
    ['packages, though they are ignored', 'mkdir -p node_modules/b && echo 1 > node_modules/b/index.js'],
    ['what is ignored and no output', 'mkdir -p notes && echo 1 > notes/x'],
    ['output and a file', 'mkdir -p dist && echo 1 > dist/x && echo 1 > x'],
    ['what a shell obeys in new output', 'mkdir -p dist/x && echo 1 > dist/x/.envrc'],
    ['a link in output', 'mkdir -p coverage && ln -s /etc coverage/l'],
    ['a deleted file', 'rm a.txt'],
    ['permissions', 'chmod +x a.txt'],
  ])('but about %s', async (_, command) => {
    const approver = person(yes);
    await using at = await openRepository({ approver });
    expect(await at.run(command)).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(approver.asked).toHaveLength(1);
  });

  // A cache that fits its source by time and size is run in its place: the program that a person reads is not the one that runs.
  it('about Python, which then keeps no compiled code, but about compiled code', async () => {
    const approver = person();
    await using at = await openRepository({ approver });
    await writeFile(`${at.folder}/m.py`, 'print("source")\n');
    await writeFile(`${at.folder}/.gitignore`, '__pycache__/\n');
    expect(await at.run('python3 -c "import m"')).toMatchObject({ data: { stdout: 'source\n', exit_code: 0 } });
    expect([approver.asked, existsSync(`${at.folder}/__pycache__`)]).toEqual([[], false]);
    await at.run('python3 -m compileall -q m.py');
    expect(approver.asked).toMatchObject([{ changed: { headline: 'created 1 file' } }]);
  });

  it('by what was there before first, which no number of new files hides', async () => {
    const approver = person();
    await using at = await openRepository({ approver });
    await at.run('mkdir -p a && seq 600 | (cd a && xargs touch) && seq 600 | xargs touch && echo B > a.txt && rm package.json');
    const shown = approver.asked[0]?.changed?.effect;
    expect(shown?.changes.slice(0, 3).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['changed a.txt', 'deleted package.json', 'created 1']);
    expect(shown?.changes).toHaveLength(500);
    expect(shown?.more).toBeGreaterThan(700);
    await at.run('mkdir -p a && seq 600 | (cd a && xargs touch) && echo 1 > b');
    expect(approver.asked[1]?.changed?.effect.changes.map(({ path }) => path)).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('where a rule allows what changed, and where one narrows it they are', async () => {
    const approver = person(yes);
    await using at = await openRepository({ approver, policy: { allow: ['write(/notes/**)'], ask: ['write(/dist/**)'] } });
    await at.run('mkdir -p notes && echo 1 > notes/x');
    expect(approver.asked).toEqual([]);
    await at.run('mkdir -p dist && echo 1 > dist/x');
    expect(approver.asked).toHaveLength(1);
  });

  it('where the command itself is allowed, or the mode trusts', async () => {
    for (const options of [{ allow: ['exec' as const] }, { policy: { mode: 'trusted' as const } }, { policy: { allow: ['exec(touch b)'] } }]) {
      const approver = person();
      await using at = await openRepository({ ...options, approver });
      expect(await at.run('touch b')).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
      expect(approver.asked).toEqual([]);
    }
  });

  it('about history, if the command is allowed and may change everything', async () => {
    const approver = person();
    await using at = await openRepository({ allow: ['exec', 'write'], approver });
    await at.run('echo B >> a.txt && git diff > p.patch && git checkout -q a.txt && git apply p.patch && git clean -fdq && git rm -rqf package.json');
    expect(at.git('status', '--porcelain')).toBe(' M a.txt\nD  package.json\n');
    expect(approver.asked).toEqual([]);
  });

  it('where the command itself is allowed, but where a rule asks about a place that its words do not show', async () => {
    for (const options of [{ allow: ['exec' as const] }, { mode: 'trusted' as const }]) {
      const { allow, ...policy } = { allow: [], ...options };
      const approver = person({ verdict: 'deny' }, yes);
      await using at = await openRepository({ allow, policy: { ...policy, ask: ['write(/locked/**)'] }, approver });
      const hidden = 'd=lock; mkdir -p ${d}ed other && echo 1 > other/x';
      expect(await at.run(hidden)).toMatchObject({ ok: true });
      expect(approver.asked, 'an empty folder').toHaveLength(1);
      expect(existsSync(at.at('other/x'))).toBe(false);
      expect(await at.run(hidden)).toMatchObject({ ok: true, meta: { appliedFrom: 'copy' } });
      await at.run('mkdir -p other && echo 1 > other/y');
      expect(approver.asked).toHaveLength(2);
    }
  });

  it('about files in auto-edit, but about history', async () => {
    const approver = person(yes);
    await using at = await openRepository({ approver, policy: { mode: 'auto-edit' } });
    expect(await at.run('touch b')).toMatchObject({ meta: { appliedFrom: 'copy' } });
    expect(approver.asked).toEqual([]);
    await at.run('git tag v1');
    expect(approver.asked).toHaveLength(1);
    expect(at.git('tag')).toBe('v1\n');
  });
});
