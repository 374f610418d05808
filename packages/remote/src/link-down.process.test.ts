import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const canUnshare = process.platform === 'linux' && spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

it(
  'a link that goes down without a word is noticed within a minute; calls run on, once, and their results come whole',
  { timeout: 90_000 },
  ({ skip }) => {
    if (!canUnshare) skip('This machine does not allow network namespaces, or has no ip.');
    const program = fileURLToPath(new URL('fixtures/link-down.ts', import.meta.url));
    const words = ['-rn', process.execPath, '--conditions=synapse-source', program];
    const { stdout, status } = spawnSync('unshare', words, { encoding: 'utf8', timeout: 80_000 });
    expect(status).toBe(0);
    const { noticedMs, whole, counts } = JSON.parse(stdout) as { noticedMs: number; whole: boolean[]; counts: Record<string, number> };
    // Twenty times as fast: a minute, and what the next look takes.
    expect(noticedMs).toBeLessThan(6_000);
    expect(whole).toEqual([true, true, true, true]);
    expect(counts).toEqual({ before: 1, a: 1, b: 1, c: 1, d: 1 });
  },
);
