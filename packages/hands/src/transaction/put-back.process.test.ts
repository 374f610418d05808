import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const LATER: Approver = { name: 'later', ask: async () => ({ verdict: 'later' }) };

/** A workspace in which changes of a command wait. */
async function setUp() {
  const yes: Approver = { name: 'yes', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
  const bench = await temporaryHands({ a: 'old\n', 'd/x': 'old\n' }, { allow: [], approver: yes });
  const call = async (tool: 'write_file' | 'run_command' | 'delete_file', input: Record<string, string>): Promise<string> => {
    const { ok, meta } = await bench.hands.call<string>(tool, input);
    expect(ok).toBe(true);
    return meta.callId;
  };
  return {
    ...bench,
    call,
    undo: async (id: string): Promise<void> => expect(await bench.hands.undo({ call: id })).toMatchObject({ ok: true }),
    wait: async (command: string): Promise<string> =>
      (await bench.hands.call('run_command', { command }, { approver: LATER })).meta.pending ?? 'none',
    text: (path: string): string => readFileSync(bench.at(path), 'utf8'),
  };
}

describe.skipIf((await findBubblewrap()) === undefined)('changes that wait, and a file that an undo put back', () => {
  it('are applied where it is as the command found it', async () => {
    await using bench = await setUp();
    const handle = await bench.wait('echo command >> a');
    await bench.undo(await bench.call('write_file', { path: 'a', content: 'x' }));
    await bench.undo(await bench.call('run_command', { command: 'rm a' }));
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 1, conflicts: [] } });
    expect(bench.text('a')).toBe('old\ncommand\n');
  });

  it('keep what another program had changed in it before', async () => {
    await using bench = await setUp();
    const handle = await bench.wait('echo command >> a');
    writeFileSync(bench.at('a'), 'person\n');
    await bench.undo(await bench.call('write_file', { path: 'a', content: 'x' }));
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 0, conflicts: [{ path: 'a' }] } });
    expect(bench.text('a')).toBe('person\n');
  });

  it('keep what an earlier call had changed in it, which was not undone', async () => {
    await using bench = await setUp();
    const handle = await bench.wait('echo command >> a');
    await bench.call('write_file', { path: 'a', content: 'first\n' });
    await bench.undo(await bench.call('run_command', { command: 'echo second > a' }));
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 0, conflicts: [{ path: 'a' }] } });
    expect(bench.text('a')).toBe('first\n');
  });

  it('do not bring back what was undone after the command had read it', async () => {
    await using bench = await setUp();
    const before = await bench.call('write_file', { path: 'a', content: 'undone\n' });
    const handle = await bench.wait('echo command >> a');
    await bench.undo(before);
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 0, conflicts: [{ path: 'a' }] } });
    expect(bench.text('a')).toBe('old\n');
  });

  it('replace no file that was deleted when the command made its own', async () => {
    await using bench = await setUp();
    const gone = await bench.call('delete_file', { path: 'a' });
    const handle = await bench.wait('echo command > a');
    await bench.undo(gone);
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 0, conflicts: [{ path: 'a' }] } });
    expect(bench.text('a')).toBe('old\n');
  });

  it('delete no folder in which another program had changed something', async () => {
    await using bench = await setUp();
    const handle = await bench.wait('rm -r d');
    writeFileSync(bench.at('d/x'), 'person\n');
    await bench.undo(await bench.call('run_command', { command: 'rm -r d' }));
    expect(await bench.hands.applyPending(handle)).toMatchObject({ ok: true, data: { applied: 0 } });
    expect([existsSync(bench.at('d/x')) && bench.text('d/x')]).toEqual(['person\n']);
  });
});
