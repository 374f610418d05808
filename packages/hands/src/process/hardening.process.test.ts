import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/descriptor-holder.ts', import.meta.url));

it.skipIf((await findBubblewrap()) === undefined)('leads no child to what the shell before holds open', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-descriptors-')));
  try {
    const lock = join(base, 'lock');
    mkdirSync(join(base, 'workspace'));
    // As a lock is held: exec 200>lock; flock 200.
    const words = [process.execPath, FIXTURE, join(base, 'workspace'), join(base, 'state')];
    const said = execFileSync('bash', ['-c', 'exec 200>"$0"; echo held >&200; exec "$@"', lock, ...words], { encoding: 'utf8', timeout: 60_000 });
    const found = JSON.parse(said) as Record<string, string> & { helpers: string[] };
    // Without the protection a child has it.
    expect(found['control']).toBe(lock);
    for (const kind of ['helper', 'command', 'server']) expect([kind, found[kind]]).toEqual([kind, '/dev/null']);
    expect(found['sandboxed']).toMatch(/^\/dev\/null\n/u);
    expect(found.helpers.length).toBeGreaterThan(0);
    expect(new Set(found.helpers)).toEqual(new Set(['/dev/null']));
    expect(readFileSync(lock, 'utf8')).toBe('held\n');
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
