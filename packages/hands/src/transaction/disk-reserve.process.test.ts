import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';

const canMount = process.getuid?.() === 0 && (await findBubblewrap()) !== undefined;
const Said = z.object({ output: z.string(), pending: z.int(), free: z.int(), dropped: z.string(), next: z.string() });

it.skipIf(!canMount)('a disk that is full of pending changes does not keep them from being dropped', { timeout: 60_000 }, () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-reserve-')));
  const disk = join(base, 'small');
  mkdirSync(disk);
  const script = `
    import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
    const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
    const [workspace, stateFolder] = ['ws', 'state'].map((name) => ${JSON.stringify(disk)} + '/' + name);
    mkdirSync(workspace);
    const open = () => createHands({ workspace, stateFolder, configFolder: stateFolder + '/config', allow: ['write', 'exec'], sandbox: 'required' });
    const said = (result) => (result.ok ? result.output : result.error.message);
    const hands = await open();
    const output = said(await hands.call('run_command', { command: 'head -c 60000000 /dev/zero > filler; echo rest > rest; echo more > more' }));
    const pending = hands.pendingChanges();
    await hands[Symbol.asyncDispose]();
    const { bavail, bsize } = statfsSync(workspace);
    // As another process of Synapse does it.
    await using again = await open();
    const dropped = await Promise.all(pending.map(({ handle }) => again.dropPending(handle))).then(() => 'dropped', (error) => error.message);
    const next = said(await again.call('run_command', { command: 'echo next > next; cat next' }));
    console.log(JSON.stringify({ output, pending: pending.length, free: bavail * bsize, dropped, next }));`;
  const mount = 'mount -t tmpfs -o size=32m tmpfs "$1" && shift && exec "$@"';
  try {
    const text = execFileSync('unshare', ['--mount', 'sh', '-c', mount, 'sh', disk, process.execPath, ...SCRIPT_OPTIONS, script], {
      encoding: 'utf8',
    });
    const result = Said.parse(JSON.parse(text));
    expect(result).toMatchObject({ dropped: 'dropped', next: expect.stringContaining('next\n') as string });
    expect(result.free).toBeGreaterThan(500_000);
    // On a slow machine the disk is seen to fill up before the command ends.
    if (!result.output.includes('was filling the disk')) expect(result).toMatchObject({ pending: 1 });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
