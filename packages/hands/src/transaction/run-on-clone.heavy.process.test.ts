import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { findLandlock } from '../sandbox/landlock/find-landlock.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const works = !('problem' in (await findLandlock()));
const hasBubblewrap = (await findBubblewrap())?.usable === true;

/** The workspace without its repository, which both have in common. */
const treeOf = (folder: string) => Object.entries(readTree(folder)).filter(([path]) => path !== '.git' && !path.startsWith('.git/'));

const FILES = { 'a.txt': 'A\n', 'src/b.txt': 'B\n', 'src/deep/c.txt': 'C\n', 'run.sh': '#!/bin/sh\n', '.gitignore': 'dist/\n' };
const open = async (options: Parameters<typeof temporaryHands>[1] = {}) => {
  const at = await temporaryHands(FILES, { sandbox: 'landlock', ...options });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: at.folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  const run = async (command: string) => await at.hands.call('run_command', { command });
  // The text of a script is not judged before it runs.
  const script = async (text: string) => {
    writeFileSync(at.at('attack.sh'), text);
    return await run('sh ./attack.sh');
  };
  return { ...at, git, run, script, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
};

/** Commands whose effects on the workspace must be those that they have on an overlay. */
const SAME = [
  'rm -rf src && mkdir src && echo n > src/b.txt',
  'rm -rf src && echo file > src',
  'rm a.txt && mkdir a.txt && echo x > a.txt/in',
  'rm a.txt && ln -s src a.txt',
  'mv src moved',
  'mv a.txt src/ && mv src/b.txt .',
  'cp -r src copy && rm copy/deep/c.txt',
  'chmod 700 src && chmod 600 a.txt',
  'chmod 2755 src; chmod 500 src/deep',
  'touch -d 2001-01-01 a.txt src',
  'mkfifo pipe; mkdir -p e/m/p/t/y',
  'ln a.txt src/hard && echo more >> a.txt',
  'echo x > a.tmp && mv a.tmp a.txt',
  'mkdir t && echo 1 > t/f && mv t src/t && rm -r src/deep',
  'printf x > "src/a b\'c\nd"; echo y > src/$(printf "\\377")',
  'git mv a.txt b.txt && git rm -q src/b.txt && git status --short > status',
  'git checkout -qb other && echo o > o && git add o && git -c user.name=a -c user.email=a@b commit -qm o && git checkout -q -',
  'find . -name "*.txt" -newer run.sh -delete; true',
  'echo a > .x && chmod 0 .x',
  'rm -rf ./* .gitignore',
];

describe.runIf(works && hasBubblewrap).each(SAME)('%s', (command) => {
  it('does the same on a clone as on an overlay', async () => {
    const trees = await Promise.all(
      (['required', 'landlock'] as const).map(async (sandbox) => {
        await using at = await open({ sandbox });
        const result = await at.script(command);
        return { ran: result.meta.ran, ok: result.ok, tree: treeOf(at.folder), git: at.git('status', '--short') };
      }),
    );
    expect(trees[1]).toEqual(trees[0]);
    expect(trees[0]).toMatchObject({ ran: 'copy' });
  });
});

describe.runIf(works)('a command on a clone', () => {
  it('makes, changes, moves and deletes files, which are applied when it ends and can be undone', async () => {
    await using at = await open();
    const before = at.git('status', '--short');
    const result = await at.run(
      'echo new > new.txt && echo more >> a.txt && rm src/b.txt && mkdir -p x/y && mv src/deep x/y/ && ln -s a.txt l && chmod +x run.sh && pwd',
    );
    expect(result).toMatchObject({ ok: true, meta: { sandbox: 'landlock', ran: 'copy', undo: 'covered' } });
    expect(result.ok && result.data.stdout).toMatch(/\/merged\n$/u);
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('A\nmore\n');
    expect([existsSync(at.at('src/b.txt')), existsSync(at.at('src/deep')), readFileSync(at.at('x/y/deep/c.txt'), 'utf8')]).toEqual([
      false,
      false,
      'C\n',
    ]);
    expect([readlinkSync(at.at('l')), lstatSync(at.at('run.sh')).mode & 0o111, readFileSync(at.at('new.txt'), 'utf8')]).toEqual([
      'a.txt',
      0o111,
      'new\n',
    ]);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect([at.git('status', '--short'), existsSync(at.at('src/deep/c.txt')), existsSync(at.at('x'))]).toEqual([before, true, false]);
  });

  it('changes nothing and is cheap where nothing changes', async () => {
    await using at = await open();
    const before = at.git('status', '--short');
    const result = await at.run('touch src/t && rm src/t && test -e a.txt');
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(at.git('status', '--short')).toBe(before);
  });

  it('commits', async () => {
    await using at = await open();
    const result = await at.run(
      'echo more >> a.txt && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline | wc -l',
    );
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0, stdout: '2\n' } });
    expect([at.git('log', '--format=%s'), at.git('status', '--short')]).toEqual(['second\nfirst\n', '']);
    expect(at.git('fsck')).toBe('');
  });

  it('leaves no hook and no setting of git', async () => {
    await using at = await open();
    const result = await at.script(
      'echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor /tmp/x; echo ok > ok.txt',
    );
    expect(result, JSON.stringify(result)).toMatchObject({ ok: true });
    expect([
      existsSync(at.at('.git/hooks/pre-commit')),
      readFileSync(at.at('.git/config'), 'utf8').includes('fsmonitor'),
      existsSync(at.at('ok.txt')),
    ]).toEqual([false, false, true]);
  });

  it('neither reads nor loses a hidden file, whatever it does to the folder around it', async () => {
    await using at = await open({ allow: ['write', 'exec'], policy: { deny: ['read(/src/key)', 'read(/vault/**)'] } });
    writeFileSync(at.at('src/key'), 'SECRET\n');
    mkdirSync(at.at('vault'));
    writeFileSync(at.at('vault/k'), 'SECRET\n');
    const read = await at.script('cat src/key vault/k; ls vault; grep -r SECRET .; mv src/key k2; cat k2; echo done');
    expect(read, JSON.stringify(read)).toMatchObject({ ok: true });
    expect(read.ok && `${read.data.stdout}${read.data.stderr}`).not.toMatch(/SECRET$/mu);
    await at.script('mv src moved && echo x > moved/new');
    const kept = ['src/key', 'moved/key', 'k2'].filter((path) => existsSync(at.at(path)));
    expect(kept).toHaveLength(1);
    expect([readFileSync(at.at(kept[0] ?? ''), 'utf8'), readFileSync(at.at('vault/k'), 'utf8')]).toEqual(['SECRET\n', 'SECRET\n']);
  });

  it('cannot write to the workspace itself, or through a link to outside', async () => {
    await using at = await open();
    symlinkSync(at.outside, at.at('out'));
    const result = await at.run(
      `echo x > ${at.folder}/direct; echo x > ${at.outside}/direct; echo x > out/link; echo ok > ok.txt; cat ${at.folder}/a.txt`,
    );
    expect(result).toMatchObject({ ok: true, data: { stdout: 'A\n' } });
    expect([existsSync(at.at('direct')), readdirSync(at.outside), existsSync(at.at('ok.txt'))]).toEqual([false, [], true]);
  });

  it('does not overwrite what a person changes meanwhile', async () => {
    await using at = await open();
    const [, file] = ['', at.at('a.txt')];
    const started = at.at('started');
    mkdirSync(started);
    // The command waits until the person has changed the file, which it sees in the workspace itself.
    const running = at.run(`echo theirs > a.txt; while ! grep -q person ${file}; do sleep 0.01; done`);
    const wrote = setInterval(() => writeFileSync(file, 'person\n'), 300);
    const result = await running;
    clearInterval(wrote);
    expect(readFileSync(file, 'utf8')).toBe('person\n');
    expect(JSON.stringify(result)).toMatch(/a\.txt/u);
  });

  it('sees the build output of earlier ones', async () => {
    await using at = await open();
    await at.run('mkdir -p dist && echo built > dist/out.js');
    const seen = await at.run('cat dist/out.js && echo again >> dist/out.js && echo changed > a.txt');
    expect(seen).toMatchObject({ ok: true, data: { exit_code: 0, stdout: 'built\n' } });
    expect(await at.run('cat dist/out.js')).toMatchObject({ ok: true, data: { stdout: 'built\nagain\n' } });
  });

  it('keeps closed folders, hard links and files of others as they are', async () => {
    await using at = await open();
    linkSync(at.at('a.txt'), at.at('src/a2.txt'));
    mkdirSync(at.at('closed'));
    writeFileSync(at.at('closed/f'), 'F\n');
    chmodSync(at.at('closed'), 0o500);
    const result = await at.run('echo x > new.txt; mkdir c2; echo y > c2/f; chmod 500 c2');
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect([lstatSync(at.at('closed')).mode & 0o777, lstatSync(at.at('c2')).mode & 0o777, readFileSync(at.at('c2/f'), 'utf8')]).toEqual([
      0o500,
      0o500,
      'y\n',
    ]);
    expect(lstatSync(at.at('a.txt')).nlink).toBe(2);
  });

  it('is dropped with what a dry run changed, which is shown', async () => {
    await using at = await open();
    const tried = await at.hands.call('run_command', { command: 'echo x > new.txt' }, { dryRun: true });
    expect([tried.meta.dryRun !== undefined, existsSync(at.at('new.txt'))]).toEqual([true, false]);
  });

  it('runs in the workspace itself where that is too large, and says so', async () => {
    await using at = await open();
    mkdirSync(at.at('many'));
    for (let number = 0; number < 10_001; number += 1) writeFileSync(join(at.at('many'), String(number)), '');
    const result = await at.run('echo x > src/new.txt');
    expect(result).toMatchObject({ ok: true, meta: { ran: 'live' } });
    expect(result.ok && result.output).toMatch(/copy is made file by file, of up to 10,000 entries/u);
    expect(existsSync(at.at('src/new.txt'))).toBe(true);
  });
});
