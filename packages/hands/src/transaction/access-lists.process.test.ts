import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { ACCESS_LIST, accessListsOf, setAccessList } from '../testing/access-list.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A workspace in which every file has an access list. */
async function listed(names: readonly string[]): Promise<TemporaryHands> {
  const at = await temporaryHands(Object.fromEntries(names.map((name) => [name, 'old\n'])), { sandbox: 'required' });
  setAccessList(...names.map(at.at));
  return at;
}

describe.skipIf((await findBubblewrap()) === undefined)('files with access lists', () => {
  it('keep them when a command replaces them, with the mode that it gives them', async () => {
    await using at = await listed(['a.txt', 'b.txt', 'd/c.txt']);
    const command = 'for f in a.txt b.txt d/c.txt; do echo new > n && chmod 660 n && mv n $f; done; chmod 600 b.txt';
    expect(await at.hands.call('run_command', { command })).toMatchObject({ data: { exit_code: 0 }, meta: { appliedFrom: 'copy' } });
    const changed = ['a.txt', 'b.txt', 'd/c.txt'].map(at.at);
    expect(changed.map(modeOf)).toEqual([0o660, 0o600, 0o660]);
    expect(accessListsOf(...changed.filter((path) => modeOf(path) === 0o660))).toEqual([ACCESS_LIST, ACCESS_LIST]);
  });

  it('keep them where very many are replaced at once', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `${index}.txt`);
    await using at = await listed(names);
    expect(await at.hands.call('run_command', { command: 'for f in *.txt; do echo new > n && chmod 660 n && mv n $f; done' })).toMatchObject({
      data: { exit_code: 0 },
      meta: { appliedFrom: 'copy' },
    });
    expect(new Set(accessListsOf(...names.map(at.at)))).toEqual(new Set([ACCESS_LIST]));
  });

  it('keep them when a branch is applied', async () => {
    await using at = await listed(['a.txt']);
    await using branch = await at.hands.branch('b');
    expect(await branch.call('write_file', { path: 'a.txt', content: 'new\n' })).toMatchObject({ ok: true });
    expect(await branch.apply()).toMatchObject({ data: { applied: 1 } });
    expect([modeOf(at.at('a.txt')), ...accessListsOf(at.at('a.txt'))]).toEqual([0o660, ACCESS_LIST]);
  });
});
