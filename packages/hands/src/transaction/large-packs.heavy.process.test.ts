import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** A repository whose large pack holds a file that its work tree lacks, and a hands' call for it. */
async function place() {
  const base = await temporaryHands();
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: base.folder, encoding: 'utf8' });
  const file = (name: string): string => join(base.folder, name);
  writeFileSync(file('large'), randomBytes(9 * 1024 * 1024));
  writeFileSync(file('small'), 'one\n');
  git('init', '-q');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('repack', '-adq');
  writeFileSync(file('small'), 'two\n');
  git('commit', '-qam', 'second');
  const packs = (): string[] => readdirSync(file('.git/objects/pack')).filter((name) => name.endsWith('.pack'));
  const hands = await createHands({
    workspace: base.folder,
    stateFolder: join(base.folder, '../state-2'),
    sandbox: 'required',
    allow: ['write', 'exec'],
  });
  return {
    git,
    file,
    packs,
    /** Identifies the pack: another inode has its name after it was copied. */
    pack: () => packs().map((name) => statSync(file(`.git/objects/pack/${name}`)).ino),
    async run(command: string) {
      const result = await hands.call('run_command', { command });
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0 } });
    },
    async [Symbol.asyncDispose]() {
      await hands[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

// Git notes in the time of a pack that an object in it is wanted again. On a copy, this would copy the whole pack.
describe.skipIf((await findBubblewrap()) === undefined)('a large pack', () => {
  it('is not copied by a command that needs an object in it again', async () => {
    await using at = await place();
    const before = at.pack();
    await at.run('printf "one\\n" > small && git commit -qam third && git log --oneline');
    expect(at.git('show', 'HEAD:small')).toBe('one\n');
    expect(at.git('status', '--short')).toBe('');
    expect(at.git('fsck', '--strict')).toBe('');
    expect(at.pack()).toEqual(before);
  });

  it('of a linked worktree is not copied either', async () => {
    await using at = await place();
    const linked = at.file('../linked');
    at.git('worktree', 'add', '-q', linked);
    const before = at.pack();
    await using hands = await createHands({ workspace: linked, stateFolder: at.file('../state-3'), sandbox: 'required', allow: ['write', 'exec'] });
    const command = 'printf "one\\n" > small && git commit -qam third';
    expect(await hands.call('run_command', { command })).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
    expect(at.git('show', 'linked:small')).toBe('one\n');
    expect(at.pack()).toEqual(before);
  });

  it('is copied by a script of which nothing is known', async () => {
    await using at = await place();
    writeFileSync(at.file('run.sh'), 'printf "one\\n" > small && git commit -qam third\n');
    const before = at.pack();
    await at.run('sh run.sh');
    expect(at.pack()).not.toEqual(before);
  });

  it('is not left without its index by a commit that would pack the repository', async () => {
    await using at = await place();
    for (const name of ['more', 'last']) {
      writeFileSync(at.file(name), name);
      at.git('add', name);
      at.git('commit', '-qm', name);
      at.git('repack', '-dq');
    }
    at.git('config', 'gc.autoPackLimit', '1');
    at.git('config', 'gc.autoDetach', 'false');
    await at.run('git commit -q --allow-empty -m third');
    expect(at.git('count-objects', '-v')).toContain('garbage: 0\n');
    at.git('commit', '-q', '--allow-empty', '-m', 'by a person');
    expect(at.packs()).toHaveLength(1);
  });

  it('of a clone in the workspace does not keep a script from deleting that', async () => {
    await using at = await place();
    at.git('clone', '-q', '--no-local', '.', 'dep/lib');
    writeFileSync(at.file('tidy.sh'), 'rm -r dep\n');
    await at.run('git log --oneline && sh tidy.sh');
    expect(existsSync(at.file('dep'))).toBe(false);
  });

  it('of a clone in the workspace is not copied either', async () => {
    await using at = await place();
    at.git('clone', '-q', '--no-local', '.', 'dep/lib');
    for (const [key, value] of [
      ['name', 'A'],
      ['email', 'a@example.com'],
    ] as const)
      at.git('-C', 'dep/lib', 'config', `user.${key}`, value);
    const folder = at.file('dep/lib/.git/objects/pack');
    const before = readdirSync(folder).map((name) => statSync(join(folder, name)).ino);
    await at.run('cd dep/lib && printf "one\\n" > small && git commit -qam third');
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).ino)).toEqual(before);
  });

  it.each(['git gc -q --prune=now', 'git repack -adq'])('is replaced by %s', async (command) => {
    await using at = await place();
    const before = at.packs();
    await at.run(command);
    expect(before.filter((name) => existsSync(at.file(`.git/objects/pack/${name}`)))).toEqual([]);
  });
});
