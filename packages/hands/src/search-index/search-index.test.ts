import { link, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { SearchIndex } from './search-index.ts';

it('is not waited for while its thread does not answer', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'synapse-held-index-')));
  await writeFile(join(folder, 'a'), 'text');
  using confinement = new HandleConfinement(folder);
  using folders = new FolderIndex(confinement);
  using root = confinement.openDirectory([]);
  const { promise: never } = Promise.withResolvers<undefined>();
  let asked = 0;
  await using index = new SearchIndex(folders, root, root.descriptor ?? -1, {
    hasEnded: false,
    forget: () => {},
    ask: async () => {
      asked += 1;
      return await never;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  // Everything is new: there is nothing to ask for.
  expect([await index.sync(), await index.isSwept(true)]).toEqual([true, true]);
  expect(asked).toBe(0);
  // A file with two names is looked at again, as it may change by the other one.
  await link(join(folder, 'a'), join(folder, 'b'));
  expect([await index.sync(), await index.isSwept(true)]).toEqual([true, false]);
  expect([await index.sync(), await index.isSwept(true)]).toEqual([true, false]);
  expect(asked).toBe(1);
});
