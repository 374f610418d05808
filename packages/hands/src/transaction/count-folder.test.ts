import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { countFolder, MAX_COMPARED_IN_ALL } from './count-folder.ts';
import type { PackageVersions } from './package-versions.ts';

/** A folder of packages before and after a command that wrote it anew, with one text per file. */
function replaced(before: readonly string[], after: readonly string[]) {
  using stack = new DisposableStack();
  const base = mkdtempSync(join(tmpdir(), 'synapse-count-'));
  stack.defer(() => rmSync(base, { recursive: true }));
  const stat = (side: string, texts: readonly string[]) => {
    const folder = join(base, side, 'node_modules');
    mkdirSync(folder, { recursive: true });
    for (const [index, text] of texts.entries()) writeFileSync(join(folder, `f${index}`), text);
    return lstatSync(folder, { bigint: true });
  };
  const change = {
    location: ['node_modules'],
    path: 'node_modules',
    kind: 'changed',
    type: 'directory',
    isTimeOnly: false,
    isModeOnly: false,
    before: stat('whole', before),
    now: stat('upper', after),
    entries: after.length,
    files: after.length,
    bytes: after.join('').length,
  } as const;
  const whole = stack.use(new HandleConfinement(join(base, 'whole')));
  const root = stack.use(whole.openDirectory([]));
  let looked = 0;
  const versions: Pick<PackageVersions, 'mustStay'> = { mustStay: () => (looked += 1) > 0 };
  const held = stack.move();
  const count = async (left: bigint) => {
    const compared = { left };
    const { isAltered } = await countFolder(change, {
      area: { upper: join(base, 'upper') },
      views: { root, whole },
      versions,
      signal: new AbortController().signal,
      folder: 'node_modules',
      mark: undefined,
      compared,
    });
    return { isAltered, left: compared.left, looked };
  };
  return { count, [Symbol.dispose]: () => held.dispose() };
}

const SAME = ['aaaa', 'bbbb', 'cccc'];

it('a folder is the same if all of its files are', async () => {
  using at = replaced(SAME, SAME);
  expect(await at.count(MAX_COMPARED_IN_ALL)).toMatchObject({ isAltered: false, left: MAX_COMPARED_IN_ALL - 12n });
});

it('a folder that would take more than is compared counts as altered', async () => {
  using at = replaced(SAME, SAME);
  expect([await at.count(12n), await at.count(11n)]).toMatchObject([{ isAltered: false, left: 0n }, { isAltered: true }]);
});

it('nothing is read after the first difference', async () => {
  using at = replaced(
    Array.from({ length: 50 }, () => 'same'),
    Array.from({ length: 50 }, () => 'else'),
  );
  // The folder itself, and its first file.
  expect(await at.count(MAX_COMPARED_IN_ALL)).toMatchObject({ isAltered: true, left: MAX_COMPARED_IN_ALL - 4n, looked: 2 });
});
