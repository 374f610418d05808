import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { bundledRipgrep } from './search.ts';

type TestHands = Awaited<ReturnType<typeof temporaryHands>>['hands'];

async function find(hands: TestHands, input: { readonly glob: string; readonly path?: string }): Promise<string[]> {
  const found = await hands.call('find_files', { ...input, limit: 1_000 });
  if (!found.ok) throw new Error(found.error.message);
  return found.data.files.map(({ path }) => path).toSorted();
}

async function search(hands: TestHands, input: { readonly pattern: string; readonly path?: string }): Promise<string[]> {
  const found = await hands.call('search_text', { ...input, limit: 1_000 });
  if (!found.ok) throw new Error(found.error.message);
  return found.data.files.toSorted();
}

/** A generator of numbers below a limit, from a seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FOLDERS = ['', 'a', 'b', 'a/b', 'a/c', 'a/b/c', 'b/[x]', 'b/{y,z}', 'b/st*r', 'b/a b'];
const FILES = ['f.txt', 'g.o', 'keep.o', '#h', '!i', 'j ', 'build/out.js', 'ä.txt'];
const RULES =
  '*.o|!keep.o|/a/b/|b/|/f.txt|build|build/|**/c|a/**|\\#h|\\!i|j\\ |*.txt|!f.txt|[x]|st\\*r/g.o|/b/*/f.txt|ä*|# x||c/f.txt|?.o|!b/'.split('|');

async function makeTree(root: string, seed: number): Promise<void> {
  const next = random(seed);
  for (const folder of FOLDERS) {
    await mkdir(join(root, folder, 'build'), { recursive: true });
    for (const file of FILES) await writeFile(join(root, folder, file), 'needle\n');
    const rules = (): string => Array.from({ length: 1 + next(3) }, () => RULES[next(RULES.length)]).join(next(5) === 0 ? '\r\n' : '\n');
    if (next(2) === 0) await writeFile(join(root, folder, '.gitignore'), rules());
    if (next(4) === 0) {
      await mkdir(join(root, folder, '.git/info'), { recursive: true });
      await writeFile(join(root, folder, '.git/info/exclude'), rules());
    }
  }
}

const OPTIONS = ['--no-config', '--no-messages', '--no-ignore-global', '--no-ignore-dot', '--no-require-git', '--no-follow', '--files', './'];

describe('finds what ripgrep finds', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('with seed %d', { timeout: 60_000 }, async (seed) => {
    await using place = await temporaryHands();
    await makeTree(place.folder, seed);
    // Rules of folders above the workspace count as well.
    await writeFile(join(dirname(place.folder), '.gitignore'), '/workspace/a/keep.o\nworkspace/*/g.o\n');
    const rg = (await bundledRipgrep()) ?? 'rg';
    // First without an index, then with one.
    for (const round of ['cold', 'cold', 'watched', 'watched']) {
      for (const path of ['.', 'a', 'b']) {
        // It ends with 1 where it finds nothing.
        const { stdout } = spawnSync(rg, OPTIONS, { cwd: place.at(path), encoding: 'utf8' });
        const names = stdout
          .split('\n')
          .filter((name) => name !== '')
          .map((name) => join(path, name))
          .toSorted();
        expect({ round, path, names: await find(place.hands, { glob: '**', path }) }).toEqual({ round, path, names });
        expect({ round, path, names: await search(place.hands, { pattern: 'needle', path }) }).toEqual({ round, path, names });
      }
    }
  });
});

/** Lets the hands watch the workspace. */
async function watch(hands: TestHands): Promise<void> {
  for (let count = 0; count < 4; count += 1) await search(hands, { pattern: `nothing ${count}` });
}

const FILES_OF_A_PROJECT = { 'vault/k.md': 'a*\n', 'abc.txt': 'x\n', 'b.txt': 'x\n', 'sub/abd.txt': 'x\n' };
const ALL = ['abc.txt', 'b.txt', 'sub/abd.txt'];

describe.each([['without an index', async () => {}] as const, ['with one', watch] as const])(
  'an ignore file that is not a file, %s',
  (_, prepare) => {
    it.each<[string, string, string]>([
      ['a link to a file of the workspace', '.gitignore', 'vault/k.md'],
      ['a link in a subfolder', 'sub/.gitignore', '../vault/k.md'],
      ['a link to a device', '.gitignore', '/dev/zero'],
      ['the list of a repository', '.git/info/exclude', '../../vault/k.md'],
    ])('%s', { timeout: 30_000 }, async (_name, at, target) => {
      await using place = await temporaryHands(FILES_OF_A_PROJECT, { policy: { deny: ['read(vault/**)'] } });
      await prepare(place.hands);
      await mkdir(dirname(place.at(at)), { recursive: true });
      await symlink(target, place.at(at));
      expect(await find(place.hands, { glob: '**/*.txt' })).toEqual(ALL);
      expect(await search(place.hands, { pattern: 'x' })).toEqual(ALL);
      // A search without an index names those on the way to what it found.
      const told = await place.hands.call('search_text', { pattern: 'x' });
      expect(told.ok && told.output).toContain(`Not applied, because it is a link, not a file, or larger than 512 kB: ${at}`);
      // The control: as a file of its own, it counts.
      await rm(place.at(at));
      await writeFile(place.at(at), 'a*\n');
      expect((await find(place.hands, { glob: '**/*.txt' })).length).toBeLessThan(ALL.length);
    });

    it('a pipe holds no search, and a huge file takes no memory', { timeout: 30_000 }, async () => {
      await using place = await temporaryHands(FILES_OF_A_PROJECT);
      await prepare(place.hands);
      execFileSync('mkfifo', [place.at('sub/.gitignore')]);
      const huge = await open(place.at('.gitignore'), 'w');
      await huge.truncate(30 * 1024 ** 3);
      await huge.close();
      const found = await place.hands.call('find_files', { glob: '*.txt' });
      expect(found).toMatchObject({ ok: true, data: { timed_out: false, files: [{}, {}, {}] } });
      expect(found.ok && found.output).toMatch(
        /Not applied, because it is a link, not a file, or larger than 512 kB: (?:sub\/\.gitignore, \.gitignore|\.gitignore, sub\/\.gitignore)/u,
      );
    });
  },
);

it('reads the rules itself where a link was there for a moment during a search', { timeout: 30_000 }, async () => {
  await using place = await temporaryHands(FILES_OF_A_PROJECT);
  await watch(place.hands);
  const calls = Array.from({ length: 20 }, (_, index) => search(place.hands, { pattern: `x${'|x'.repeat(index)}` }));
  const flips = (async () => {
    for (let count = 0; count < 50; count += 1) {
      await symlink('vault/k.md', place.at('.gitignore'));
      await rm(place.at('.gitignore'));
    }
  })();
  for (const files of await Promise.all(calls)) expect(files).toContain('abc.txt');
  await flips;
});
