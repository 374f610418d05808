import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FolderIndex } from '../../workspace-index/folder-index.ts';
import { HandleConfinement } from '../../workspace/handle-confinement.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { CommandView } from './command-view.ts';

let base: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-judged-')));
  for (const name of ['workspace', 'shown', 'shown/bin']) mkdirSync(join(base, name));
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Whether this system tells of changes in folders. */
async function isWatched(): Promise<boolean> {
  using confinement = new HandleConfinement(base);
  using index = new FolderIndex(confinement);
  await index.refresh();
  return index.mode?.kind === 'watched';
}

function install(name: string): void {
  writeFileSync(join(base, 'shown/bin', name), '#!/bin/sh\n');
  chmodSync(join(base, 'shown/bin', name), 0o755);
}

it('looks for denied programs in a readable folder only again after it changed, and then at once', async () => {
  // The rest of a view is known for a time.
  vi.spyOn(performance, 'now').mockReturnValue(1);
  install('first');
  using view = new CommandView({
    policy: { judged: [join(base, 'shown')], deniedPrograms: ['first', 'second'], deniesRead: (path) => path.endsWith('/bin/hidden') },
    root: join(base, 'workspace'),
    variables: { PATH: join(base, 'shown/bin'), HOME: join(base, 'home') },
  });
  const masks = async (): Promise<Mount[]> =>
    (await view.mounts('own', { sockets: [], isCommand: true, signal: AbortSignal.timeout(60_000) })).filter(({ path }) =>
      /\/(?:first|second)$/u.test(path),
    );
  const [one] = await masks();
  expect(one).toEqual({ kind: 'masked-file', path: join(base, 'shown/bin/first') });
  if (await isWatched()) expect((await masks())[0]).toBe(one);
  install('second');
  expect((await masks()).map(({ path }) => path)).toEqual(['first', 'second'].map((name) => join(base, 'shown/bin', name)));
  // What is hidden is not masked a second time, and a change of that counts at once as well.
  install('hidden');
  expect((await masks()).length).toBe(2);
});
