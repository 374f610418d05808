import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { findBubblewrap } from './find-bubblewrap.ts';
import { stagedObjects } from './staged-objects.ts';

const SECRET = 'token=staged\n';

/** A repository with committed files whose names usually hold secrets, as the workspace of hands. */
async function place(options: Partial<HandsOptions> = {}) {
  const base = await temporaryHands();
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: base.folder, encoding: 'utf8' });
  const file = (name: string): string => join(base.folder, name);
  mkdirSync(file('test'));
  for (const name of ['.npmrc', '.env.test', 'test/key.pem']) writeFileSync(file(name), SECRET);
  writeFileSync(file('a.txt'), 'one\n');
  writeFileSync(file('.gitignore'), '.env\n');
  git('init', '-q');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  writeFileSync(file('.env'), SECRET);
  const open = async (workspace: string) =>
    await createHands({ workspace, stateFolder: join(base.folder, '../state-2'), sandbox: 'required', allow: ['write', 'exec'], ...options });
  const hands = await open(base.folder);
  return {
    git,
    file,
    open,
    hands,
    async output(command: string, extra: object = {}): Promise<string> {
      const result = await hands.call('run_command', { command, ...extra });
      if (!result.ok) throw new Error(result.error.message);
      return result.output;
    },
    async [Symbol.asyncDispose]() {
      await hands[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

/** Reads all hidden names without naming one, which would be asked about. */
const READ_ALL = 'for f in $(find . -name .git -prune -o -type f -print; ls -A | sed s,^,./,); do grep -l token= $f 2>/dev/null; done | sort -u';

describe.skipIf((await findBubblewrap()) === undefined)('a file that is hidden for its name', () => {
  it('is shown to commands on a copy and to those that read, as git has it', async () => {
    await using at = await place();
    expect(await at.output('git status --short')).toMatch(/^\[exit code 0[^\]]*\]$/u);
    const seen = await at.output(`${READ_ALL}; echo two > a.txt`);
    for (const name of ['./.npmrc', './.env.test', './test/key.pem']) expect(seen).toContain(`${name}\n`);
    expect(seen).not.toContain('./.env\n');
    await at.output('git add -A && git commit -qm second');
    expect(at.git('show', '--stat', '--format=%s', 'HEAD')).toMatch(/^second\n\n a\.txt \| /u);
    expect(at.git('status', '--short')).toBe('');
  });

  it('is shown if the object is in a pack', async () => {
    await using at = await place();
    at.git('repack', '-adq');
    at.git('prune-packed');
    expect(await at.output(READ_ALL)).toContain('./.npmrc\n');
  });

  it('can be changed, stashed and taken back by git', async () => {
    await using at = await place();
    await at.output('for f in test/*.pe*; do echo more >> $f; done; git stash -q && git status --short && git stash pop -q');
    expect(readFileSync(at.file('test/key.pem'), 'utf8')).toBe(`${SECRET}more\n`);
    expect(at.git('status', '--short')).toBe(' M test/key.pem\n');
  });

  it.each([
    ['its content is another', {}, ({ file }: Awaited<ReturnType<typeof place>>) => writeFileSync(file('.npmrc'), 'token=real\n')],
    ['a rule denies it', { policy: { deny: ['read(.npmrc)'] } }, () => {}],
    ['a rule asks about it', { policy: { ask: ['read(.npmrc)'] } }, () => {}],
    ['a rule denies the objects', { policy: { deny: ['read(.git/objects/**)'] } }, () => {}],
    ['it is not in the index', {}, ({ git }: Awaited<ReturnType<typeof place>>) => void git('rm', '-q', '--cached', '.npmrc')],
    [
      'only the times in the index are right',
      {},
      ({ git, file }: Awaited<ReturnType<typeof place>>) => {
        writeFileSync(file('.npmrc'), 'token=real!!\n');
        git('update-index', '--assume-unchanged', '.npmrc');
      },
    ],
    ['a rule denies the packs', { policy: { deny: ['read(*.pack)'] } }, ({ git }: Awaited<ReturnType<typeof place>>) => void git('repack', '-adq')],
    [
      'the repository borrows its objects from another one',
      {},
      ({ file }: Awaited<ReturnType<typeof place>>) => {
        renameSync(file('.git/objects'), file('../objects'));
        mkdirSync(file('.git/objects/info'), { recursive: true });
        mkdirSync(file('.git/objects/pack'));
        writeFileSync(file('.git/objects/info/alternates'), `${file('../objects')}\n`);
      },
    ],
    [
      'the repository lacks the object',
      {},
      ({ git, file }: Awaited<ReturnType<typeof place>>) => {
        const object = git('rev-parse', ':.npmrc').trim();
        rmSync(file(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`));
      },
    ],
    [
      'a file leads to a repository that commands do not see',
      {},
      ({ file }: Awaited<ReturnType<typeof place>>) => {
        renameSync(file('.git'), file('../elsewhere'));
        writeFileSync(file('.git'), 'gitdir: ../elsewhere\n');
      },
    ],
  ])('stays hidden if %s', async (_, options, change) => {
    await using at = await place(options);
    change(at);
    expect(await at.output(`${READ_ALL}; date > now`)).not.toContain('./.npmrc\n');
    expect(await at.output(READ_ALL)).not.toContain('./.npmrc\n');
  });

  it('is hidden again after a change, whatever was known before', async () => {
    await using at = await place();
    expect(await at.output(READ_ALL)).toContain('./.npmrc\n');
    writeFileSync(at.file('.npmrc'), SECRET.replace('staged', 'actual'));
    expect(await at.output(READ_ALL)).not.toContain('./.npmrc\n');
  });

  it('stays hidden from commands that write to the workspace itself', async () => {
    await using at = await place();
    expect(await at.output(READ_ALL, { live: true })).not.toContain('./.npmrc\n');
  });

  it('is shown in a linked worktree, by its own index', async () => {
    await using at = await place();
    const linked = at.file('../linked');
    at.git('worktree', 'add', '-q', linked);
    await using hands = await at.open(linked);
    const status = await hands.call('run_command', { command: 'git status --short && echo two > a.txt && git add -A && git commit -qm second' });
    expect(status).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(at.git('show', '--stat', '--format=%s', 'linked')).toMatch(/^second\n\n a\.txt \| /u);
  });
});

describe('an index of git', () => {
  it.each(['2', '3', '4'])('is read in version %s', async (version) => {
    await using at = await temporaryHands();
    const git = (...words: string[]): string => execFileSync('git', words, { cwd: at.folder, encoding: 'utf8' });
    git('init', '-q');
    mkdirSync(join(at.folder, 'deep/er'), { recursive: true });
    const names = ['.npmrc', 'deep/.env.test', 'deep/er/.env.test', 'deep/er/key.pem', 'z.pem'];
    for (const name of names) writeFileSync(join(at.folder, name), `of ${name}\n`);
    git('add', '.');
    if (version === '3') {
      writeFileSync(join(at.folder, 'later'), '');
      // Only entries with such a flag need this version.
      git('add', '-N', 'later');
    } else git('update-index', `--index-version=${version}`);
    const bytes = readFileSync(join(at.folder, '.git/index'));
    expect(bytes.readUInt32BE(4)).toBe(Number(version));
    const objects = stagedObjects(bytes, new Set(names));
    const expected = names.map((name) => {
      const content = `of ${name}\n`;
      return [name, createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex')] as const;
    });
    expect(objects).toEqual(new Map(expected));
    expect(stagedObjects(bytes, new Set(['npmrc', 'er/key.pem']))).toEqual(new Map());
    for (let length = 0; length < bytes.length; length += 7) stagedObjects(bytes.subarray(0, length), new Set(names));
  });
});
