import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, initRepository } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const YES: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

async function setUp(...first: readonly string[]) {
  const bench = await temporaryHands({ a: 'one\n' }, { allow: [], approver: YES });
  const run = (...words: string[]): string => git(bench.folder, ...words);
  initRepository(bench.folder);
  run('config', 'user.name', 'Ada');
  run('config', 'user.email', 'ada@example.com');
  for (const command of first) run(...command.split(' '));
  const call = async (command: string): Promise<string> => {
    const { ok, meta } = await bench.hands.call('run_command', { command });
    expect(ok).toBe(true);
    return meta.callId;
  };
  return { ...bench, run, call, undo: async (id: string) => await bench.hands.undo({ call: id }) };
}
const COMMITTED = ['add -A', 'commit -qm first'] as const;

describe.skipIf((await findBubblewrap()) === undefined)('the undo of a call that made a branch of git', () => {
  it.each<readonly [what: string, command: string, branch: string, words: readonly string[]]>([
    ['the repository', 'git branch topic', 'topic', ['checkout', '-q', 'topic']],
    ['the repository, in a folder of branches', 'git branch topic/one', 'topic/one', ['checkout', '-q', 'topic/one']],
    ['the repository, under its new name', 'git branch old && git branch -m old topic', 'topic', ['checkout', '-q', 'topic']],
    ['another worktree', 'git branch topic', 'topic', ['worktree', 'add', '-q', '../other', 'topic']],
  ])('is refused where a person checked it out in %s', async (_, command, branch, words) => {
    await using bench = await setUp(...COMMITTED);
    const id = await bench.call(command);
    bench.run(...words);
    const message = `${branch} is checked out by now; nothing was undone.`;
    expect(await bench.hands.planUndo({ call: id })).toMatchObject({ conflicts: [expect.stringContaining(message)], changes: [] });
    await expect(bench.undo(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(message) });
    expect(bench.run('log', '--format=%s', branch)).toBe('first');
    bench.run(...(words[0] === 'worktree' ? ['worktree', 'remove', '../other'] : ['checkout', '-q', '-']));
    expect(await bench.undo(id)).toMatchObject({ ok: true });
    expect(bench.run('for-each-ref', '--format=%(refname:short)')).toBe(bench.run('branch', '--show-current'));
  });

  it('leaves that call out, and undoes the others', async () => {
    await using bench = await setUp(...COMMITTED);
    const id = await bench.call('git branch topic');
    await bench.call('echo two > b');
    bench.run('checkout', '-q', 'topic');
    expect(await bench.hands.undo({ last: 2 })).toMatchObject({
      ok: true,
      data: { changes: [{ path: 'b' }], left: [{ call: id, reason: expect.stringContaining('topic is checked out by now') }] },
    });
  });

  it('is done where the call checked it out, or where the branch was empty before', async () => {
    await using bench = await setUp();
    const [first, second] = [await bench.call('git add -A; git commit -qm first'), await bench.call('git checkout -qb topic')];
    expect(await bench.undo(second)).toMatchObject({ ok: true });
    expect(bench.run('branch', '--format=%(refname:short)')).toBe(bench.run('branch', '--show-current'));
    expect(await bench.undo(first)).toMatchObject({ ok: true });
    expect(bench.run('for-each-ref')).toBe('');
    expect(bench.run('status', '--short')).toBe('?? a');
  });
});
