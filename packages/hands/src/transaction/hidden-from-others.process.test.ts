import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const SECRET = 'key-of-the-house';
const OPEN = 'open to all';
/** Says that it runs, waits, and prints all files that it then sees. As a script: what a command names itself is asked about. */
const WATCHER = 'echo up; until ls gate | grep -q open; do sleep 0.02; done; find . -type f -exec cat {} + 2>/dev/null; true';
const FILES = { 'dir/sub/.env': `${SECRET}\n`, 'dir/sub/open.txt': `${OPEN}\n`, 'plain/file.txt': 'x\n', 'gate/shut': '', watch: WATCHER };

const open = (): Promise<TemporaryHands> => temporaryHands(FILES, { sandbox: 'required', policy: { deny: ['read(.env)'] } });
const text = (result: CallResult): string => (result.ok ? result.output : expect.fail(result.error.message));

/** Starts a command, and resolves when it runs. The returned function lets it look, and returns what it saw. */
async function watcher(at: TemporaryHands, live: boolean): Promise<() => Promise<string>> {
  const up = Promise.withResolvers<void>();
  const ended = at.hands.call('run_command', { command: 'sh ./watch', live }, { onOutput: (output) => output.includes('up') && up.resolve() });
  await Promise.race([up.promise, ended]);
  return async () => {
    writeFileSync(at.at('gate/open'), '');
    const seen = text(await ended);
    rmSync(at.at('gate/open'));
    return seen;
  };
}

describe.skipIf((await findBubblewrap()) === undefined)('what is hidden from a command that runs', () => {
  it.each([false, true])('is not moved by another command, which a person applies later (live: %s)', async (live) => {
    await using at = await open();
    const look = await watcher(at, live);
    const moved = await at.hands.call('run_command', { command: 'mv dir/sub dir/other' });
    expect(text(moved)).toMatch(/No changes were applied\. It moves files that are hidden from commands/u);
    expect(await look()).not.toContain(SECRET);
    expect(existsSync(at.at('dir/sub/.env'))).toBe(true);
    const [waiting] = at.hands.pendingChanges();
    expect(await at.hands.applyPending(waiting?.handle ?? '')).toMatchObject({ ok: true });
    expect(existsSync(at.at('dir/sub'))).toBe(false);
    expect(readdirSync(at.at('dir/other')).toSorted()).toEqual(['.env', 'open.txt']);
    expect(text(await at.hands.call('run_command', { command: 'sh -c "cat */*/.e*"' }))).not.toContain(SECRET);
  });

  it.each([false, true])('is not moved by a file tool (live: %s)', async (live) => {
    await using at = await open();
    const look = await watcher(at, live);
    const move = () => at.hands.call('move_path', { from: 'dir', to: 'other' });
    expect(await move()).toMatchObject({ ok: false, error: { code: 'conflict', retryable: true } });
    expect(await at.hands.call('move_path', { from: 'plain', to: 'fancy' })).toMatchObject({ ok: true });
    expect(await look()).not.toContain(SECRET);
    expect(await move()).toMatchObject({ ok: true });
  });

  it('would be seen if it was moved, as other files are', async () => {
    await using at = await temporaryHands(FILES, { sandbox: 'required', policy: { allow: ['read(.env)'] } });
    const look = await watcher(at, false);
    expect(text(await at.hands.call('run_command', { command: 'mv dir/sub dir/other' }))).toContain('exit code 0');
    expect(existsSync(at.at('dir/other/.env'))).toBe(true);
    expect(await look()).toContain(SECRET);
  });
});
