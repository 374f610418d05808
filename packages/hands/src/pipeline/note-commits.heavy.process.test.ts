import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryAudit } from '../audit/query-audit.ts';
import { Receipts } from '../receipt/receipts.ts';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { initRepository } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { madeCommit } from './note-commits.ts';

const NEW = 'b'.repeat(40);
const line = (message: string): string => `${'a'.repeat(40)} ${NEW} A <a@example.com> 1795795440 +0000\t${message}\n`;

it.each([
  ['commit: fix', NEW],
  ['commit (initial): first', NEW],
  ['commit (amend): fix', NEW],
  ['commit (merge): Merge branch x', NEW],
  ['cherry-pick: fix', NEW],
  ['revert: Revert "x"', NEW],
  ['am: fix', NEW],
  ['rebase (pick): fix', NEW],
  ["merge topic: Merge made by the 'ort' strategy.", NEW],
  ['merge topic: Fast-forward', undefined],
  ['pull: Fast-forward', undefined],
  ['checkout: moving from main to topic', undefined],
  ['reset: moving to HEAD~1', undefined],
  ['clone: from x', undefined],
])('reads the move of HEAD %s', (message, commit) => {
  expect(madeCommit(line('commit: earlier').replaceAll('b', 'c') + line(message))).toBe(commit);
});

const git = ({ folder }: TemporaryHands, ...words: string[]): string =>
  execFileSync('git', ['-c', 'safe.directory=*', ...words], { cwd: folder, encoding: 'utf8' });
const note = (at: TemporaryHands): string | undefined => {
  try {
    return git(at, 'notes', '--ref=synapse', 'show', 'HEAD');
  } catch {
    return undefined;
  }
};

/** Hands on a repository with one commit, for which the setting is as given. */
async function repository(notes: boolean): Promise<TemporaryHands> {
  const at = await temporaryHands({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  await at.hands[Symbol.asyncDispose]();
  initRepository(at.folder);
  git(at, 'config', 'user.name', 'Ada');
  git(at, 'config', 'user.email', 'ada@example.com');
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'first');
  const config = join(at.folder, '..', 'config');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ receipts: { notes } }));
  const hands = await createHands({
    workspace: at.folder,
    stateFolder: join(at.folder, '..', 'state'),
    configFolder: config,
    allow: ['write', 'exec'],
  });
  return {
    ...at,
    hands,
    async [Symbol.asyncDispose]() {
      await hands[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

const run = async ({ hands }: TemporaryHands, command: string): Promise<string> => {
  const result = await hands.call('run_command', { command });
  if (!result.ok) throw new Error(result.error.message);
  return result.meta.callId;
};

describe.skipIf((await findBubblewrap()) === undefined)('the note of a commit', () => {
  it('holds the receipts that are valid for it, and goes with it in one undo', async () => {
    await using at = await repository(true);
    const first = git(at, 'rev-parse', 'HEAD');
    await at.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    const test = await run(at, 'grep two a.txt');
    const commit = await run(at, 'git commit -qam second');
    const lines = note(at)?.trimEnd().split('\n') ?? [];
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^passed {2}git commit -qam second {2}/u),
      expect.stringMatching(/^passed {2}grep two a\.txt {2}/u),
    ]);
    using receipts = new Receipts(at.folder, join(at.folder, '..', 'state'));
    const checks = await Promise.all(lines.filter((one) => one.startsWith('{')).map(async (one) => await receipts.verify(one, { key: undefined })));
    expect(checks.map(({ state, call }) => [state, call])).toEqual([
      ['valid', commit],
      ['valid', test],
    ]);
    expect((await receipts.validNow()).map(({ call }) => call)).toEqual([commit, test]);
    expect(git(at, 'fsck', '--strict')).toBe('');
    const undone = await at.hands.undo({ last: 1 });
    expect(undone).toMatchObject({ ok: true });
    expect(git(at, 'rev-parse', 'HEAD')).toBe(first);
    expect(git(at, 'for-each-ref', 'refs/notes')).toBe('');
    expect([git(at, 'fsck', '--strict'), readFileSync(at.at('a.txt'), 'utf8')]).toEqual(['', 'two\n']);
  });

  it('is not written for a commit without all files, a move of HEAD, or without the setting', async () => {
    await using at = await repository(true);
    await at.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    await at.hands.call('write_file', { path: 'b.txt', content: 'other\n' });
    await run(at, 'git add a.txt && git commit -qm second');
    expect(note(at)).toBeUndefined();
    await run(at, 'git stash -q; git checkout -q -b topic HEAD~1; git reset -q --hard HEAD');
    expect(git(at, 'for-each-ref', 'refs/notes')).toBe('');
    await using off = await repository(false);
    await off.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    await run(off, 'git commit -qam second');
    expect(note(off)).toBeUndefined();
    expect([...queryAudit(join(off.folder, '..', 'state'), off.folder, { tool: 'git_status' })]).toEqual([]);
  });

  it('holds the receipt of the command that made the commit, and replaces that of an amended one', async () => {
    await using at = await repository(true);
    await at.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    await run(at, 'grep two a.txt && git commit -qam second');
    expect(note(at)).toContain('passed  grep two a.txt && git commit -qam second');
    await run(at, 'git commit -q --amend -m third');
    expect(note(at)).toContain('passed  git commit -q --amend -m third');
    expect(git(at, 'fsck', '--strict')).toBe('');
  });

  it('is not written where the ref of notes is another name of a branch, or is locked', async () => {
    await using at = await repository(true);
    git(at, 'symbolic-ref', 'refs/notes/synapse', git(at, 'symbolic-ref', 'HEAD').trim());
    await at.hands.call('write_file', { path: 'a.txt', content: 'two\n' });
    await run(at, 'git commit -qam second');
    expect(git(at, 'log', '-1', '--format=%s').trim()).toBe('second');
    git(at, 'symbolic-ref', '--delete', 'refs/notes/synapse');
    writeFileSync(join(at.folder, '.git', 'refs', 'notes', 'synapse.lock'), '');
    await at.hands.call('write_file', { path: 'a.txt', content: 'three\n' });
    await run(at, 'git commit -qam third');
    expect([git(at, 'log', '-1', '--format=%s').trim(), note(at)]).toEqual(['third', undefined]);
  });
});
