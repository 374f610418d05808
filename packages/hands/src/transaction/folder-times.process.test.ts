import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, describe, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'd/x': 'x', 'd/e/z': 'z', Makefile: 'stamp: a.in\n\ttouch stamp; echo built\na.in:\n', 'stamp/x': '', 'a.in': 'a' };
const OLD = 1_600_000_000;

describe.skipIf((await findBubblewrap()) === undefined)('the time of a folder', () => {
  it('is kept where nothing else changed, without a question', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required', allow: [], policy: { mode: 'ask' } });
    const time = (path: string): number => statSync(at.at(path)).mtimeMs / 1000;
    for (const path of ['d', 'd/e']) utimesSync(at.at(path), OLD, OLD);
    // With no approver, a question would be a handle.
    const result = await at.hands.call('run_command', { command: 'touch -d @1234567890 d; touch d/e/lock; rm d/e/lock' });
    expect(result).toMatchObject({ ok: true, data: { exit_code: 0 } });
    expect(at.hands.pendingChanges()).toEqual([]);
    expect(time('d')).toBe(1_234_567_890);
    expect(time('d/e')).toBeGreaterThan(OLD + 1);
    expect(await at.hands.undo().catch(() => ({ ok: false }))).toMatchObject({ ok: false });
  });

  it('comes back with an undo, and again with the undo of that', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required' });
    const folders = ['.', 'd', 'd/e'];
    for (const path of folders) utimesSync(at.at(path), OLD, OLD);
    const times = (): number[] => folders.map((path) => Math.round(statSync(at.at(path)).mtimeMs));
    const before = times();
    expect(await at.hands.call('run_command', { command: 'echo 1 > new; touch d/y; rm d/e/z' })).toMatchObject({ ok: true });
    const after = times();
    expect(after.every((time, index) => time > (before[index] ?? 0))).toBe(true);
    expect(await at.hands.call('run_command', { command: 'touch d/later; echo 2 >> new' })).toMatchObject({ ok: true });
    expect(await at.hands.undo({ last: 2 })).toMatchObject({ ok: true });
    expect(times()).toEqual(before);
    expect(await at.hands.call('run_command', { command: 'echo 1 > new; touch d/y; rm d/e/z' })).toMatchObject({ ok: true });
    writeFileSync(at.at('d/other'), '');
    const changed = times();
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    // Something else changed d meanwhile.
    expect([times()[0], times()[2]]).toEqual([before[0], before[2]]);
    expect(times()[1]).toBeGreaterThanOrEqual(changed[1] ?? 0);
  });

  it('tells make that a folder is up to date', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required' });
    utimesSync(at.at('stamp'), OLD, OLD);
    expect(await at.hands.call('run_command', { command: 'make -s' })).toMatchObject({ data: { stdout: 'built\n' } });
    expect(await at.hands.call('run_command', { command: 'make -s' })).toMatchObject({ data: { stdout: '' } });
  });

  it('stays where a rule denies writing', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required', policy: { deny: ['write(d/e)'] } });
    utimesSync(at.at('d/e'), OLD, OLD);
    await at.hands.call('run_command', { command: 'touch d/e d' });
    expect(statSync(at.at('d/e')).mtimeMs).toBe(OLD * 1000);
    expect(statSync(at.at('d')).mtimeMs).toBeGreaterThan(OLD * 1000);
  });

  it('stays as something else left it meanwhile', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required' });
    const later = OLD + 500;
    const onProgress = (): void => {
      utimesSync(at.at('d/e'), later, later);
      writeFileSync(at.at('go'), '');
    };
    const wait = 'until ls -a . | grep -qx go; do sleep 0.01; done';
    expect(await at.hands.call('run_command', { command: `touch d/e; echo; ${wait}` }, { onProgress })).toMatchObject({ data: { exit_code: 0 } });
    expect(statSync(at.at('d/e')).mtimeMs).toBe(later * 1000);
  });
});
