import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { CheckedConfinement } from '../workspace/checked-confinement.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { FolderIndex } from './folder-index.ts';
import { PlacesElsewhere } from './places-elsewhere.ts';

const REPOSITORY = { HEAD: 'ref: refs/heads/main\n', 'objects/x': '', 'refs/x': '' };

/** A temporary workspace, and the places that its folders lead to. */
function open(confine: (folder: string) => Confinement = (folder) => new HandleConfinement(folder), options = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-test-')));
  const confinement = confine(folder);
  const index = new FolderIndex(confinement, options);
  let now = 0;
  const elsewhere = new PlacesElsewhere(
    confinement,
    { get: () => index },
    () => false,
    () => now,
  );
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    at: (path: string) => join(folder, path),
    write,
    repository: (path: string, config: string): void => {
      for (const [name, text] of Object.entries({ ...REPOSITORY, config })) write(`${path}/${name}`, text);
    },
    later: (milliseconds: number): void => void (now += milliseconds),
    mode: () => index.mode?.kind,
    named: async (): Promise<string[]> => {
      const { places, problem } = await elsewhere.current();
      expect(problem).toBeUndefined();
      return [...new Set(places.map(({ path }) => path))].toSorted();
    },
    [Symbol.dispose]() {
      index[Symbol.dispose]();
      confinement[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const HOOKS = (path: string): string => `[core]\n\thooksPath = ${path}\n`;

it('is true after each change, in a walk and where folders are watched', async () => {
  using place = open();
  const { at, write, repository, named } = place;
  expect([await named(), place.mode()]).toEqual([[], undefined]);
  expect([await named(), place.mode()]).toEqual([[], 'watched']);
  repository('a/sub/.git', HOOKS('../../hooks'));
  expect(await named()).toEqual(['hooks']);
  writeFileSync(at('a/sub/.git/config'), HOOKS('../other'));
  expect(await named()).toEqual(['a/other']);
  // What is named becomes a link, and leads on.
  mkdirSync(at('real'));
  symlinkSync('../real', at('a/other'));
  expect(await named()).toEqual(['a/other', 'real']);
  // An included file that was missing, in a folder that was missing.
  writeFileSync(at('a/sub/.git/config'), '[include]\n\tpath = ../../../conf/deep/inc\n');
  expect(await named()).toEqual(['conf/deep/inc']);
  write('conf/deep/inc', HOOKS('../../third'));
  expect(await named()).toEqual(['conf/deep/inc', 'third']);
  writeFileSync(at('conf/deep/inc'), '');
  expect(await named()).toEqual(['conf/deep/inc']);
  renameSync(at('a'), at('b'));
  expect(await named()).toEqual(['conf/deep/inc']);
  rmSync(at('b/sub/.git/HEAD'));
  rmSync(at('b/sub/.git'), { recursive: true });
  expect(await named()).toEqual([]);
  // A pointer, a bare repository, and a link of another program's settings.
  repository('store', HOOKS('../hooks'));
  expect(await named()).toEqual(['hooks']);
  write('tree/.git', 'gitdir: ../store\n');
  writeFileSync(at('store/config'), HOOKS('../in-both'));
  expect(await named()).toEqual(['in-both']);
  mkdirSync(at('pkg/.husky'), { recursive: true });
  symlinkSync('../../check', at('pkg/.husky/pre-commit'));
  expect(await named()).toEqual(['check', 'in-both']);
});

it('knows nothing of what leads inside its own folder, or of what was installed', async () => {
  using place = open();
  place.repository('sub/.git', HOOKS('hooks'));
  mkdirSync(place.at('node_modules/x/.vscode'), { recursive: true });
  symlinkSync('../../../tasks', place.at('node_modules/x/.vscode/tasks.json'));
  expect(await place.named()).toEqual([]);
});

it('reads known folders each time where none can be watched, and finds new ones within a minute', async () => {
  const refuse = (): never => {
    throw Object.assign(new Error('limit'), { code: 'ENOSPC' });
  };
  using place = open(undefined, { onWatch: refuse });
  place.repository('sub/.git', HOOKS('../hooks'));
  for (let count = 0; count < 3; count += 1) expect(await place.named()).toEqual(['hooks']);
  expect(place.mode()).toBe('walked');
  writeFileSync(place.at('sub/.git/config'), HOOKS('../other'));
  expect(await place.named()).toEqual(['other']);
  place.repository('new/.git', HOOKS('../hooks'));
  place.later(60_000);
  expect(await place.named()).toEqual(['hooks', 'other']);
});

it('walks by name where folders cannot be held open', async () => {
  using place = open((folder) => new CheckedConfinement(folder));
  place.repository('a/sub/.git', HOOKS('../../hooks'));
  expect(await place.named()).toEqual(['hooks']);
  writeFileSync(place.at('a/sub/.git/config'), HOOKS('../other'));
  expect(await place.named()).toEqual(['a/other']);
});
