import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { SCRIPT_OPTIONS, sourceUrl } from '../testing/run-script.ts';

const canMount = process.getuid?.() === 0 && (await findBubblewrap()) !== undefined;
const Said = z.object({ refused: z.string(), left: z.array(z.string()), again: z.string(), twice: z.array(z.string()) });

it.skipIf(!canMount)('a branch that a full disk has no room for leaves nothing, and one of two with a name is made', { timeout: 60_000 }, () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-full-')));
  const disk = join(base, 'small');
  mkdirSync(disk);
  const script = `
    import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
    const { BranchStore } = await import(${sourceUrl('branch/branch-store.ts')});
    const [root, state] = ['ws', 'state'].map((name) => ${JSON.stringify(disk)} + '/' + name);
    mkdirSync(root);
    const store = new BranchStore(state, root);
    await store.create('first');
    const fill = (name, bytes) => { try { for (;;) writeFileSync(name, Buffer.alloc(bytes, 1), { flag: 'a' }); } catch {} };
    fill(state + '/filler', 65536);
    fill(state + '/filler', 1);
    const refused = await store.create('second').then(() => 'made', ({ code, message }) => code + ': ' + message);
    const folder = state + '/branches/' + readdirSync(state + '/branches')[0];
    const left = readdirSync(folder);
    rmSync(state + '/filler');
    const again = (await store.create('second')).record.name;
    const twice = (await Promise.allSettled([store.create('third'), store.create('third')])).map(({ reason }) => reason?.code ?? 'made').toSorted();
    console.log(JSON.stringify({ refused, left, again, twice }));`;
  const mount = 'mount -t tmpfs -o size=4m tmpfs "$1" && shift && exec "$@"';
  try {
    const text = execFileSync('unshare', ['--mount', 'sh', '-c', mount, 'sh', disk, process.execPath, ...SCRIPT_OPTIONS, script], {
      encoding: 'utf8',
    });
    expect(Said.parse(JSON.parse(text))).toEqual({
      refused: 'unavailable: The branch cannot be made: the disk of the state folder of Synapse is full.',
      left: ['first'],
      again: 'second',
      twice: ['already_exists', 'made'],
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
