import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listProcesses } from '../process/process-table.ts';
import { lostSoFar } from './run-counts.ts';

const UNSHARE = ['--user', '--map-root-user', '--mount'];
const works = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Runs a script in the private folder of a process, and returns what is reported of it, and what a path that follows links shows. */
async function told(script: string): Promise<{ told: readonly string[]; followed: readonly string[] }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-lost-')));
  mkdirSync(join(base, 'person'));
  mkdirSync(join(base, 'home'));
  writeFileSync(join(base, 'person/id_secret'), '');
  const mounted = `mount -t tmpfs none ${base}/home && cd ${base}/home && { ${script}; } && echo ready && exec sleep 60`;
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', mounted], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const running = listProcesses().filter(({ pid }) => pid === child.pid);
    const above = join(base, 'home/above');
    return {
      told: lostSoFar(running, [{ kind: 'private', path: join(base, 'home') }], join(above, 'workspace'), undefined, new Set()),
      followed: readdirSync(`/proc/${child.pid}/root${above}`),
    };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(base, { recursive: true });
  }
}

it.skipIf(!works)('reports what a running command wrote above the workspace', async () => {
  const { told: names } = await told('mkdir above; touch above/made');
  expect(names).toEqual([expect.stringMatching(/\/home\/above\/made$/u)]);
});

it.skipIf(!works)('a link that a command puts in the place of such a folder shows nothing of this machine', async () => {
  const seen = await told('ln -s "$(dirname "$PWD")/person" above');
  // The control: a path below the root of the process leads out of it.
  expect(seen).toEqual({ told: [], followed: ['id_secret'] });
});
