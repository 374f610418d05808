import { chmod, chown, mkdir, mkdtemp, readdir, realpath, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCliProcess } from './run-cli.ts';

/** Code that Node keeps compiled is code that it runs: with write access to it, another user acts as its owner. */
const SOMEBODY = 65_534;
const root = process.getuid?.() === 0;

/** A command with its state in a folder; what it keeps there of compiled code. */
async function compiledBy(state: string): Promise<string[]> {
  const { PATH, HOME } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'synapse-e2e-'));
  const { code } = await runCliProcess({ folder, environment: { PATH, HOME, XDG_STATE_HOME: state } }, ['tools', '--json']);
  expect(code).toBe(0);
  return readdir(join(state, 'synapse', 'compiled'));
}

const newState = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'synapse-e2e-state-')));

it('keeps compiled code where only its user may write, whatever the mask', async () => {
  const state = await newState();
  const before = process.umask(0);
  try {
    expect(await compiledBy(join(state, 'new'))).not.toEqual([]);
  } finally {
    process.umask(before);
  }
  for (const name of ['new', join('new', 'synapse'), join('new', 'synapse', 'compiled')])
    expect((await stat(join(state, name))).mode & 0o777).toBe(0o700);
});

it('keeps and takes none where others may write', async () => {
  const state = await newState();
  const compiled = join(state, 'synapse', 'compiled');
  await mkdir(compiled, { recursive: true });
  for (const [folder, mode] of [
    [compiled, 0o777],
    [compiled, 0o775],
    [join(state, 'synapse'), 0o777],
    [state, 0o777],
  ] as const) {
    await chmod(folder, mode);
    expect(await compiledBy(state)).toEqual([]);
    await chmod(folder, 0o755);
  }
  expect(await compiledBy(state)).not.toEqual([]);
});

it('judges the folder that a link leads to', async () => {
  const state = await newState();
  for (const name of ['ours', 'open']) {
    await mkdir(join(state, name));
    await symlink(name, join(state, `to-${name}`));
  }
  await chmod(join(state, 'open'), 0o777);
  expect(await compiledBy(join(state, 'to-ours'))).not.toEqual([]);
  expect(await compiledBy(join(state, 'to-open'))).toEqual([]);
});

it.runIf(root)('keeps and takes none in a folder of somebody else', async () => {
  const state = await newState();
  const compiled = join(state, 'synapse', 'compiled');
  await mkdir(compiled, { recursive: true });
  await chown(compiled, SOMEBODY, SOMEBODY);
  expect(await compiledBy(state)).toEqual([]);
  await chown(compiled, 0, 0);
  await chown(state, SOMEBODY, SOMEBODY);
  expect(await compiledBy(state)).toEqual([]);
});
