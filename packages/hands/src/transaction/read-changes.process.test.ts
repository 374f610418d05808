import { chmodSync, lstatSync, mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { displayPath } from '../workspace/byte-name.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { DELETION_JUDGES, ENTRY_JUDGES } from './change-judges.ts';
import { HiddenPlaces } from './hidden-layer.ts';
import { readChanges, type ReadOptions } from './read-changes.ts';

let base: string;
let upper: string;
let lower: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'synapse-read-'));
  [upper, lower] = [join(base, 'upper'), join(base, 'lower')];
  for (const folder of [upper, lower]) mkdirSync(folder);
});

/** By SHA-1, of the blob `committed`. */
const OBJECT = '.git/objects/da/2bdc1b30ad8d1a827b1f81f14f674716f00927';
const PACK = `.git/objects/pack/pack-${'0a'.repeat(20)}`;
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000);

function read(given: Partial<ReadOptions> = {}) {
  return readChanges({
    upper,
    lower,
    standIn: undefined,
    guards: { denied: () => undefined, opens: () => false, approved: () => false },
    danger: { judge: () => undefined },
    root: lower,
    after: { addWhole: () => {} },
    isOpaque: () => Promise.resolve(false),
    hidden: new HiddenPlaces(),
    isPackIndexTrue: () => Promise.resolve(true),
    isGraphTrue: () => Promise.resolve(true),
    isRepository: () => false,
    pinned: new Map(),
    relocated: new Set(),
    outputs: 'none',
    signal: AbortSignal.timeout(60_000),
    ...given,
  });
}

/** What a reading found, in short. */
async function found(given: Partial<ReadOptions> = {}) {
  const { changes, withheld, cautions } = await read(given);
  return {
    changes: changes.map(({ kind, path }) => `${kind} ${path}`),
    withheld: withheld.map(({ path, reason, detail }) => `${path}: ${reason}, ${detail}`),
    cautions,
  };
}

const denying = (path: string): Partial<ReadOptions> => ({
  guards: { denied: (location) => (displayPath(location) === path ? 'a rule' : undefined), opens: () => false, approved: () => false },
});
const dangerous = (path: string, verdict: 'quarantine' | 'report'): Partial<ReadOptions> => ({
  danger: { judge: (at) => (at === path ? { verdict, reason: 'protected', detail: 'an editor runs it' } : undefined) },
});

it.each<[string, () => Partial<ReadOptions> | void, Partial<Awaited<ReturnType<typeof found>>>]>([
  ['a new file', () => writeFileSync(join(upper, 'a'), 'x'), { changes: ['added a'] }],
  [
    'a new folder is one change',
    () => {
      mkdirSync(join(upper, 'd'));
      writeFileSync(join(upper, 'd/a'), 'x');
    },
    { changes: ['added d'] },
  ],
  [
    'an object of git with another content',
    () => {
      for (const [folder, content] of [
        [lower, 'committed'],
        [upper, 'forged'],
      ] as const)
        for (const path of [OBJECT, `${PACK}.pack`, `${PACK}.idx`]) {
          mkdirSync(join(folder, path, '..'), { recursive: true });
          writeFileSync(join(folder, path), path === OBJECT ? deflateSync(`blob ${content.length}\0${content}`) : content);
        }
    },
    {
      withheld: [OBJECT, `${PACK}.idx`, `${PACK}.pack`].map(
        (path) => `${path}: denied, git never changes an object, and would show this for what was committed`,
      ),
    },
  ],
  [
    'new objects of git, of which one has not the content of its name, and a branch that is called like one',
    () => {
      const other = OBJECT.replace('/da/', '/db/');
      const branch = OBJECT.replace('.git/', '.git/refs/heads/');
      for (const path of [OBJECT, other, branch]) mkdirSync(join(upper, path, '..'), { recursive: true });
      mkdirSync(join(lower, '.git/objects/db'), { recursive: true });
      mkdirSync(join(lower, '.git/refs/heads'), { recursive: true });
      for (const path of [OBJECT, other]) writeFileSync(join(upper, path), deflateSync('blob 9\0committed'));
      writeFileSync(join(upper, branch), 'x');
    },
    {
      changes: ['added .git/objects/da', 'added .git/refs/heads/objects'],
      withheld: [`${OBJECT.replace('/da/', '/db/')}: denied, it is not the object of this name, and git would show it for what was committed`],
    },
  ],
  [
    'false objects of a repository without .git in its name, and of what is none',
    () => {
      const object = OBJECT.replace('.git/objects/da/', 'objects/db/');
      for (const folder of ['.bare', 'other', '.git/modules/a/refs/b']) {
        mkdirSync(join(upper, folder, object, '..'), { recursive: true });
        mkdirSync(join(lower, folder, 'objects/db'), { recursive: true });
        writeFileSync(join(upper, folder, object), deflateSync('blob 9\0committed'));
      }
      return { isRepository: (folder) => folder === '.bare' || folder === '.git/modules/a/refs/b' };
    },
    {
      changes: [`added ${OBJECT.replace('.git/objects/da/', 'other/objects/db/')}`],
      withheld: ['.bare', '.git/modules/a/refs/b'].map(
        (folder) =>
          `${folder}/${OBJECT.replace('.git/objects/da/', 'objects/db/')}: denied, it is not the object of this name, and git would show it for what was committed`,
      ),
    },
  ],
  [
    'an index that does not fit its new pack',
    () => {
      mkdirSync(join(lower, '.git/objects/pack'), { recursive: true });
      mkdirSync(join(upper, '.git/objects/pack'), { recursive: true });
      for (const name of ['any.pack', 'any.idx']) writeFileSync(join(upper, '.git/objects/pack', name), 'x');
      return { isPackIndexTrue: () => Promise.resolve(false) };
    },
    {
      changes: ['added .git/objects/pack/any.pack'],
      withheld: ['.git/objects/pack/any.idx: denied, it does not fit its pack, and git would show other objects for those that were committed'],
    },
  ],
  [
    'indexes of several packs of git',
    () => {
      const pack = '.git/objects/pack';
      for (const folder of [`${pack}/multi-pack-index.d`, 'new.git/objects/pack']) mkdirSync(join(upper, folder), { recursive: true });
      mkdirSync(join(lower, pack), { recursive: true });
      writeFileSync(join(lower, pack, 'multi-pack-index'), 'old');
      for (const name of [`${pack}/multi-pack-index`, `${pack}/multi-pack-index-1.bitmap`, 'new.git/objects/pack/multi-pack-index'])
        writeFileSync(join(upper, name), 'new');
    },
    {
      changes: ['added new.git'],
      withheld: ['new.git/objects/pack/multi-pack-index: denied, git could show other objects by it, and can make it again'],
    },
  ],
  [
    'an object of git that was touched, and a damaged one that was repaired',
    () => {
      for (const folder of [lower, upper]) {
        mkdirSync(join(folder, OBJECT, '..'), { recursive: true });
        mkdirSync(join(folder, PACK, '..'), { recursive: true });
        writeFileSync(join(folder, OBJECT), folder === lower ? 'damaged' : deflateSync('blob 9\0committed'));
        writeFileSync(join(folder, `${PACK}.pack`), 'pack');
      }
      utimesSync(join(lower, `${PACK}.pack`), AN_HOUR_AGO, AN_HOUR_AGO);
    },
    { changes: [`changed ${OBJECT}`, `metadata ${PACK}.pack`] },
  ],
  [
    'a file that was written again as it was',
    () => {
      for (const folder of [upper, lower]) {
        writeFileSync(join(folder, 'a'), 'same');
        utimesSync(join(folder, 'a'), AN_HOUR_AGO, AN_HOUR_AGO);
      }
    },
    {},
  ],
  [
    'other permissions of a file',
    () => {
      for (const folder of [upper, lower]) writeFileSync(join(folder, 'a'), 'same');
      chmodSync(join(upper, 'a'), 0o755);
    },
    { changes: ['metadata a'] },
  ],
  [
    'a rule denies it',
    () => {
      writeFileSync(join(upper, 'a'), 'x');
      return denying('a');
    },
    { withheld: ['a: denied, a rule'] },
  ],
  [
    'a rule denies it, but its content is as it was',
    () => {
      for (const folder of [upper, lower]) writeFileSync(join(folder, 'a'), 'same');
      return denying('a');
    },
    {},
  ],
  [
    'a rule denies the permissions of a folder, not its content',
    () => {
      for (const folder of [upper, lower]) mkdirSync(join(folder, 'd'));
      chmodSync(join(upper, 'd'), 0o700);
      writeFileSync(join(upper, 'd/a'), 'x');
      return denying('d');
    },
    { changes: ['added d/a'], withheld: ['d: denied, a rule'] },
  ],
  [
    'what replaces a folder with something that must not be deleted',
    () => {
      mkdirSync(join(lower, 'd'));
      writeFileSync(join(lower, 'd/kept'), 'x');
      writeFileSync(join(upper, 'd'), 'x');
      return denying('d/kept');
    },
    { withheld: ['d: denied, a rule'] },
  ],
  [
    'another program would execute it',
    () => {
      writeFileSync(join(upper, 'a'), 'x');
      return dangerous('a', 'quarantine');
    },
    { withheld: ['a: protected, an editor runs it'] },
  ],
  [
    'another program reads it',
    () => {
      writeFileSync(join(upper, 'a'), 'x');
      return dangerous('a', 'report');
    },
    { changes: ['added a'], cautions: ['a is for other programs: an editor runs it'] },
  ],
  ['a link inside the workspace', () => symlinkSync('b', join(upper, 'a')), { changes: ['added a'] }],
  [
    'a link out of the workspace',
    () => symlinkSync('../../etc', join(upper, 'a')),
    { changes: ['added a'], cautions: ['a is a link that leads out of the workspace, to ../../etc'] },
  ],
  [
    'a hidden file that would be revealed',
    () => {
      mkdirSync(join(lower, 'd'));
      writeFileSync(join(upper, 'd'), 'x');
      return { pinned: new Map([['d/.env', ['e', 'shown']]]) };
    },
    { withheld: ['d: denied, d/.env is hidden from commands, and would not be as e/shown'] },
  ],
])('%s', async (_, prepare, expected) => {
  expect(await found(prepare() ?? {})).toEqual({ changes: [], withheld: [], cautions: [], ...expected });
});

it('takes set-id bits away and says so', async () => {
  writeFileSync(join(upper, 'a'), 'x');
  chmodSync(join(upper, 'a'), 0o4755);
  expect(await found()).toMatchObject({ changes: ['added a'], cautions: ['a does not get the rights of its owner (set-id bits)'] });
  expect(lstatSync(join(upper, 'a')).mode & 0o7777).toBe(0o755);
});

it('counts what a replaced folder loses only where it is applied', async () => {
  mkdirSync(join(lower, 'd'));
  writeFileSync(join(lower, 'd/a'), 'four');
  writeFileSync(join(upper, 'd'), 'x');
  expect((await read()).removed).toEqual({ bytes: 4, path: 'd' });
  expect((await read(dangerous('d', 'quarantine'))).removed.bytes).toBe(0);
});

it('fails where a judge fails, so that nothing is applied', async () => {
  writeFileSync(join(upper, 'a'), 'x');
  const guards: ReadOptions['guards'] = {
    denied: (location) => {
      throw new TypeError(`No rule for ${bytePath(location)}.`);
    },
    opens: () => false,
    approved: () => false,
  };
  await expect(read({ guards })).rejects.toThrow('No rule for a.');
});

it.each([
  ['entries', ENTRY_JUDGES],
  ['deletions', DELETION_JUDGES],
])('names each judge of %s once', (_, judges) => {
  const names = judges.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.indexOf('rules')).toBeLessThan(names.indexOf('executed or obeyed by other programs'));
});

it('changes the copy only after all other judges agree', () => {
  expect(ENTRY_JUDGES.at(-1)?.name).toBe('set-id bits');
});
