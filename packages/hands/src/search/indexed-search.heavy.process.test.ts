import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeOddTree } from '../testing/odd-tree.ts';
import { type TwoSearches, twoSearches } from '../testing/two-searches.ts';
import type { FilesRequest } from './file-search.ts';
import type { TextRequest } from './text-search.ts';

const TEXTS: ReadonlyArray<Partial<TextRequest>> = [
  { pattern: 'needle' },
  { pattern: 'needle', case: 'insensitive' },
  { pattern: 'NEEDLE', case: 'smart' },
  { pattern: 'needle', path: 'sub', context: 2 },
  { pattern: 'needle', globs: ['*.ts', '!x*'] },
  { pattern: 'needle', perFile: 1 },
  { pattern: 'need[l]e|other words' },
  { pattern: String.raw`\bneedles?\b` },
  { pattern: '^a needle$' },
  { pattern: 'nothing of this', literal: true },
  { pattern: 'needle', hidden: true },
  { pattern: 'needle', ignore: false },
  { pattern: 'größe', literal: true },
  { pattern: 'GRÖSSE|größe', case: 'insensitive' },
  { pattern: 'nee' },
  { pattern: 'needle', path: '.hidden', hidden: true },
  { pattern: 'needle', limit: 3 },
];

const FILES: ReadonlyArray<Partial<FilesRequest>> = [
  {},
  { globs: ['*.ts'] },
  { globs: ['sub/**'] },
  { path: 'sub' },
  { globs: ['b*'], limit: 1 },
  { hidden: true },
  { globs: ['.*/**'], hidden: true },
  { globs: ['*.none'] },
  { ignore: false },
];

/** For each change. */
const FEW_TEXTS: ReadonlyArray<Partial<TextRequest>> = [{ pattern: 'needle' }, { pattern: 'need[l]e', hidden: true }];
const FEW_FILES: ReadonlyArray<Partial<FilesRequest>> = [{}, { globs: ['**/*'], hidden: true }];

let folder: string;
let searches: TwoSearches;
const at = (path: string): string => join(folder, path);

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'synapse-indexed-')));
  await writeOddTree(folder);
  searches = await twoSearches(folder);
});

afterAll(async () => {
  await searches[Symbol.asyncDispose]();
});

/** Asks both for everything. Which lines a cut answer has differs from run to run. */
async function bothAnswers(texts = TEXTS, files = FILES): Promise<{ readonly byIndex: unknown[]; readonly byRipgrep: unknown[] }> {
  const { indexed, plain } = searches;
  const [byIndex, byRipgrep]: [unknown[], unknown[]] = [[], []];
  for (const question of texts)
    for (const [answers, search] of [[byIndex, indexed] as const, [byRipgrep, plain] as const]) {
      const { matches, ...found } = await search.text(question);
      answers.push([question, found, found.stoppedBy === undefined ? matches : matches.length]);
    }
  for (const question of files) {
    byIndex.push([question, await indexed.files(question)]);
    byRipgrep.push([question, await plain.files(question)]);
  }
  return { byIndex, byRipgrep };
}

describe('a search by the index', () => {
  it('finds what ripgrep finds, in the same order, with less work', async () => {
    await searches.untilIndexed();
    await searches.untilIndexed('sub');
    const { byIndex, byRipgrep } = await bothAnswers();
    expect(byIndex).toEqual(byRipgrep);
    const before = searches.indexed.runs;
    const { matches } = await searches.indexed.text({ pattern: 'a needle', literal: true, globs: ['a.ts', 'b.ts'] });
    expect(matches.map(({ path, line }) => [path, line])).toEqual([
      ['a.ts', 1],
      ['sub/deep/b.ts', 2],
    ]);
    for (const globs of [['*.ts'], ['nothing*'], ['.*/**']]) await searches.indexed.files({ globs, hidden: globs[0] !== '*.ts' });
    expect(searches.indexed.runs).toBe(before);
  });

  it('cuts an answer after the first lines, in order of the paths', async () => {
    await searches.untilIndexed();
    const { runs } = searches.indexed;
    const question = { pattern: 'needle', literal: true, globs: ['a.ts', 'b.ts', 'x.ts'] };
    const all = await searches.plain.text(question);
    const ordered = all.matches.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)) || one.line - other.line);
    expect(ordered.length).toBeGreaterThan(2);
    const places = ordered.map(({ path, line }) => `${path}:${line}`);
    for (const limit of [1, ordered.length - 1]) {
      const { matches, stoppedBy } = await searches.indexed.text({ ...question, limit });
      expect([stoppedBy, ...matches.map(({ path, line }) => `${path}:${line}`)]).toEqual(['limit', ...places.slice(0, limit)]);
    }
    expect((await searches.indexed.text({ ...question, limit: all.matches.length })).stoppedBy).toBeUndefined();
    expect(searches.indexed.runs).toBe(runs);
  });

  it('refuses what is not a regular expression, as ripgrep does', async () => {
    await expect(searches.indexed.text({ pattern: 'needle[' })).rejects.toThrow(/regular expression/u);
    await expect(searches.indexed.text({ pattern: 'needle{2,1}' })).rejects.toThrow(/regular expression/u);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a file was changed', () => writeFile(at('many/f1.ts'), 'a needle\n')],
    ['a file was replaced', async () => (await writeFile(at('many/new'), 'needle\n'), await rename(at('many/new'), at('many/f2.ts')))],
    ['a file was created', () => writeFile(at('many/created.ts'), 'a needle\n')],
    ['a file was deleted', () => unlink(at('sub/x.ts'))],
    ['a folder was created', async () => (await mkdir(at('fresh/deep'), { recursive: true }), await writeFile(at('fresh/deep/a.ts'), 'needle'))],
    ['a folder was moved', () => rename(at('fresh'), at('moved'))],
    [
      'a folder was moved and moved back, and a file came in it',
      async () => {
        await rename(at('moved'), at('away2'));
        await rename(at('away2'), at('moved'));
        await writeFile(at('moved/came.ts'), 'a needle\n');
      },
    ],
    ['a file was ignored', () => writeFile(at('.gitignore'), 'dist/\nb.ts\n')],
    ['a file was no longer ignored', () => writeFile(at('sub/.gitignore'), '')],
    ['a repository came', () => mkdir(at('sub/.git'))],
    ['a repository went', () => rm(at('nested/.git'), { recursive: true })],
    [
      'a file got another name, and was changed by it',
      async () => (await link(at('many/f3.ts'), at('sub/other.ts')), await writeFile(at('sub/other.ts'), 'a needle\n')),
    ],
    ['a file became a pipe', async () => (await unlink(at('many/f5.ts')), execFileSync('mkfifo', [at('many/f5.ts')]))],
    ['a pipe became a file', async () => (await unlink(at('many/f5.ts')), await writeFile(at('many/f5.ts'), 'a needle\n'))],
    [
      'a file became a folder',
      async () => (await unlink(at('many/f6.ts')), await mkdir(at('many/f6.ts')), await writeFile(at('many/f6.ts/a.ts'), 'needle')),
    ],
    ['a file can no longer be read', () => chmod(at('many/f1.ts'), 0)],
    ['a file grew', () => writeFile(at('large.ts'), 'a needle\n', { flag: 'a' })],
    ['a hidden file came', () => writeFile(at('.hidden/.new'), 'a needle\n')],
    ['a folder got a hidden name', () => rename(at('many'), at('.many'))],
    ['a folder lost a hidden name', () => rename(at('.many'), at('many'))],
    ['many files came', async () => await Promise.all(Array.from({ length: 150 }, (_, index) => writeFile(at(`many/g${index}.ts`), 'a needle\n')))],
    ['a file became a link', async () => (await unlink(at('many/f4.ts')), await symlink(at('a.ts'), at('many/f4.ts')))],
    ['a link became a file', async () => (await unlink(at('many/f4.ts')), await writeFile(at('many/f4.ts'), 'a needle\n'))],
  ])('is right at once when %s', async (_name, change) => {
    await searches.untilIndexed();
    await change();
    const atOnce = await bothAnswers(FEW_TEXTS, FEW_FILES);
    expect(atOnce.byIndex).toEqual(atOnce.byRipgrep);
    await searches.untilIndexed();
    const later = await bothAnswers(FEW_TEXTS, FEW_FILES);
    expect(later.byIndex).toEqual(later.byRipgrep);
  });

  it('answers on while git collects garbage', async () => {
    const objects = at('nested/.Git/objects');
    await mkdir(objects, { recursive: true });
    for (let index = 0; index < 6_000; index += 1) writeFileSync(join(objects, String(index)), '');
    await searches.untilIndexed();
    await searches.indexed.search.settled();
    const { runs } = searches.indexed;
    await rm(objects, { recursive: true });
    await searches.indexed.text({ pattern: 'nothing of this', literal: true, globs: ['nothing*'] });
    expect(searches.indexed.runs).toBe(runs);
  });

  it.each(['.git', 'nested/.git', 'nested/.git/info'])('leaves a search in %s to ripgrep', async (path) => {
    await mkdir(at(path), { recursive: true });
    await writeFile(at(`${path}/note.ts`), 'a needle of git\n');
    const questions = [
      { pattern: 'needle', path, hidden: true },
      { pattern: 'needle', path },
    ];
    await bothAnswers(questions, [{ path }]);
    await searches.indexed.search.settled();
    await writeFile(at(`${path}/later.ts`), 'a needle of git\n');
    const { byIndex, byRipgrep } = await bothAnswers(questions, [{ path }]);
    expect(byIndex).toEqual(byRipgrep);
    expect(JSON.stringify(byIndex)).toContain('later.ts');
  });

  it('leaves the search to ripgrep while an ignore file is a link', async () => {
    await searches.untilIndexed();
    await rename(at('sub/.gitignore'), at('sub/kept'));
    await symlink('../.gitignore', at('sub/.gitignore'));
    const { byIndex, byRipgrep } = await bothAnswers(FEW_TEXTS, FEW_FILES);
    expect(byIndex).toEqual(byRipgrep);
    await rename(at('sub/kept'), at('sub/.gitignore'));
    await searches.untilIndexed();
  });

  it('is never older than a write before it', { timeout: 240_000 }, async () => {
    await searches.untilIndexed();
    for (let round = 0; round < 40; round += 1) {
      const path = `many/f${10 + (round % 20)}.ts`;
      const word = `written-${round}-now`;
      const writing = writeFile(at(path), `${word}\n`);
      // Some searches run while a file is written.
      const [beside] = await Promise.all([searches.indexed.text({ pattern: 'written-', literal: true }), writing]);
      expect(beside.stoppedBy).toBeUndefined();
      const { matches } = await searches.indexed.text({ pattern: word, literal: true });
      expect(matches.map((match) => [match.path, match.text])).toEqual([[path, word]]);
      expect((await searches.indexed.text({ pattern: `written-${round - 20}-now`, literal: true })).matches).toEqual([]);
    }
  });

  it('searches without it after its thread has ended', async () => {
    await searches.untilIndexed();
    await searches.indexed.search.endReader();
    const before = searches.indexed.runs;
    const { byIndex, byRipgrep } = await bothAnswers();
    expect(byIndex).toEqual(byRipgrep);
    expect(searches.indexed.runs - before).toBeGreaterThanOrEqual(TEXTS.length);
  });
});
