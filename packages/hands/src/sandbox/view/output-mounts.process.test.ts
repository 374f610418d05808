import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HandleConfinement } from '../../workspace/handle-confinement.ts';
import { CacheLayers } from './cache-layers.ts';

const works = spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'true']).status === 0;

interface Shown {
  readonly stdout: string;
  readonly problem: string;
  readonly byPath: string;
}

/** Mounts a folder below a layer by its path, and lists it. */
const byPath = (folder: string, base: string): string => {
  for (const name of ['m', 'm/upper', 'm/work', 'm/merged']) mkdirSync(join(base, name));
  symlinkSync(folder, join(base, 'm/lower'));
  const script = `cd '${base}/m' && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged && ls merged`;
  return spawnSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script], { encoding: 'utf8' }).stdout;
};

/** Shows `dist` with a layer above it to a command, after something else changed the workspace. */
async function shown(meanwhile: (workspace: string, secrets: string) => void): Promise<Shown> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-outputs, : ')));
  try {
    const [workspace, layer, secrets] = ['w', 'layer', 'secrets'].map((name) => join(base, name));
    if (workspace === undefined || layer === undefined || secrets === undefined) throw new TypeError();
    for (const folder of [join(workspace, 'dist'), layer, secrets]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(workspace, 'dist/person.js'), '');
    writeFileSync(join(layer, 'built.js'), '');
    writeFileSync(join(secrets, 'id_secret'), '');
    using confinement = new HandleConfinement(workspace);
    using below = confinement.openDirectory(['dist']);
    const layers = new CacheLayers({ folder: join(base, 'layers'), variables: {}, homeName: '/home/x' });
    await using opened = await layers.open({
      caches: [],
      home: undefined,
      targets: [],
      onlyKept: true,
      keeps: false,
      signal: AbortSignal.timeout(60_000),
      outputs: { root: workspace, shown: [{ path: 'dist', layer, below }], command: '', keep: () => Promise.resolve([]) },
    });
    const merged = opened?.source(join(workspace, 'dist')) ?? '';
    meanwhile(workspace, secrets);
    const [program, ...args] = opened?.wrap(['sh', '-c', `ls '${merged}'; readlink /proc/$$/fd/9`], false) ?? [''];
    const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
    return { stdout, problem: problemOf(() => opened?.assertMounted()), byPath: byPath(join(workspace, 'dist'), base) };
  } finally {
    rmSync(base, { recursive: true });
  }
}

function problemOf(check: () => void): string {
  try {
    check();
    return '';
  } catch (error) {
    return String(error);
  }
}

it.skipIf(!works)('shows what is in the folder, and what commands built above it', async () => {
  expect(await shown(() => {})).toMatchObject({ stdout: 'built.js\nperson.js\n', problem: '' });
});

it.skipIf(!works).each(['link', 'folder', 'nothing'] as const)('runs nothing if something else is in the place of the folder: %s', async (kind) => {
  const ran = await shown((workspace, secrets) => {
    renameSync(join(workspace, 'dist'), join(workspace, 'moved'));
    if (kind === 'link') symlinkSync(secrets, join(workspace, 'dist'));
    if (kind === 'folder') mkdirSync(join(workspace, 'dist'));
  });
  // The control: a mount by path shows it.
  expect(ran.byPath).toBe(kind === 'link' ? 'id_secret\n' : '');
  expect(ran).toMatchObject({ stdout: '', problem: expect.stringContaining('was not run') as string });
});
