import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlameParser } from '../tools/git-blame.ts';
import { ChangesParser } from './parse-changes.ts';
import { LogParser, type Commit } from './parse-log.ts';
import { ShowParser } from '../tools/git-show.ts';
import { StatusParser, type StatusEntry } from './parse-status.ts';
import { RecordSplitter, splitRecords } from '../text/record-splitter.ts';
import { parseTreeEntry } from './stored-file.ts';

const ID = 'a'.repeat(40);

/** Gives a text to a parser in pieces of the given lengths. */
function feed(text: string, lengths: readonly number[], write: (chunk: Buffer) => void): void {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let piece = 0; at < bytes.length; piece += 1) {
    const length = lengths[piece % Math.max(1, lengths.length)] ?? bytes.length;
    write(bytes.subarray(at, at + length));
    at += length;
  }
}

const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 });

describe('StatusParser', () => {
  it('reads every kind of record', () => {
    const entries: StatusEntry[] = [];
    const parser = new StatusParser((entry) => entries.push(entry));
    const text = [
      `# branch.oid ${ID}`,
      '# branch.head a b',
      '# branch.upstream o/m',
      '# branch.ab +3 -4',
      '# stash 2',
      '# future x',
      `1 MD N... 100644 100644 000000 ${ID} ${ID} with space`,
      `2 R. N... 100644 100644 100644 ${ID} ${ID} R100 new`,
      '1 old that looks like a record',
      `u UU N... 100644 100644 100644 100644 ${ID} ${ID} ${ID} both`,
      '? un\ntracked',
      '! ignored',
    ].join('\0');
    for (const record of splitRecords(Buffer.from(text))) parser.take(record);
    expect(parser.head).toEqual({ commit: ID, branch: 'a b', upstream: 'o/m', ahead: 3, behind: 4, stashes: 2 });
    expect(entries).toEqual([
      { kind: 'changed', path: Buffer.from('with space'), staged: 'modified', unstaged: 'deleted' },
      { kind: 'changed', path: Buffer.from('new'), staged: 'renamed', from: Buffer.from('1 old that looks like a record') },
      { kind: 'conflicted', path: Buffer.from('both'), conflict: 'both_modified' },
      { kind: 'untracked', path: Buffer.from('un\ntracked') },
    ]);
  });

  it.each([
    ['# branch.oid (initial)', {}],
    ['# branch.head (detached)', {}],
    ['# branch.head (detached)x', { branch: '(detached)x' }],
  ])('reads %s', (line, head) => {
    const parser = new StatusParser(() => {});
    parser.take(Buffer.from(line));
    expect(parser.head).toEqual({ stashes: 0, ...head });
  });

  it('survives any record', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const entries: StatusEntry[] = [];
        new StatusParser((entry) => entries.push(entry)).take(Buffer.from(bytes));
        expect(entries.length).toBeLessThan(2);
      }),
    );
  });
});

const RAW = ':100644 100644 1234567 1234567';

describe('ChangesParser', () => {
  const text = [
    `${RAW} M`,
    'a',
    `${RAW} R090`,
    'old',
    'new',
    '::100644 100644 100644 1 2 3 MM',
    'both',
    `${RAW} U`,
    'side',
    `${RAW} M`,
    'bin',
    '1\t2\ta',
    '3\t4\t',
    'old',
    'new',
    '0\t0\tside',
    '-\t-\tbin',
    '',
    'diff --git a/a b/a\n\0binary? no',
  ].join('\0');

  it('reads files, counts and the patch, however they are cut', () => {
    fc.assert(
      fc.property(cuts, (lengths) => {
        const patch: Buffer[] = [];
        const parser = new ChangesParser((chunk) => patch.push(chunk));
        feed(text, lengths, (chunk) => parser.write(chunk));
        expect(Buffer.concat(patch).toString()).toBe('diff --git a/a b/a\n\0binary? no');
        expect(parser.totals).toEqual({ files: 5, added: 4, removed: 6 });
        expect(parser.files.map((file) => ({ ...file, path: String(file.path) }))).toEqual([
          { path: 'a', status: 'modified', added: 1, removed: 2 },
          { path: 'new', from: Buffer.from('old'), status: 'renamed', added: 3, removed: 4 },
          { path: 'both', status: 'unmerged' },
          { path: 'side', status: 'unmerged' },
          { path: 'bin', status: 'modified' },
        ]);
        expect(parser.combined.map(String)).toEqual(['both']);
      }),
    );
  });

  it('tells a file with conflicts once', () => {
    const parser = new ChangesParser();
    parser.write(Buffer.from([`${RAW} U`, 'a', `${RAW} M`, 'a', `${RAW} M`, 'b', '0\t0\ta', '4\t0\ta', '1\t1\tb', ''].join('\0')));
    expect(parser.files).toEqual([
      { path: Buffer.from('a'), status: 'unmerged' },
      { path: Buffer.from('b'), status: 'modified', added: 1, removed: 1 },
    ]);
    expect(parser.totals.files).toBe(2);
  });
});

const HEADER = [ID, '', 'Ada', 'a@b', '2026-01-02T03:04:05Z', 'HEAD -> main, tag: v1', 'subject\n\nbody\n'].join('\0');

describe('LogParser and ShowParser', () => {
  it('read commits and files, however they are cut', () => {
    const text = `${HEADER}\0\0\nA\0${'b'.repeat(40)}\0R100\0old\0new\0${HEADER}\0\0${HEADER}\0\0`;
    fc.assert(
      fc.property(cuts, (lengths) => {
        const commits: Commit[] = [];
        const parser = new LogParser((commit) => commits.push(commit));
        const splitter = new RecordSplitter(parser.take);
        feed(text, lengths, (chunk) => void splitter.write(chunk));
        parser.end();
        expect(commits).toHaveLength(3);
        expect(commits[0]).toMatchObject({ sha: ID, parents: [], refs: ['HEAD -> main', 'tag: v1'], message: 'subject\n\nbody', fileCount: 2 });
        expect(commits[0]?.files.map(({ path, status }) => `${status} ${String(path)}`)).toEqual([`added ${'b'.repeat(40)}`, 'renamed new']);
        expect(commits[1]?.files).toEqual([]);
      }),
    );
  });

  it('read a commit and its changes, however they are cut', () => {
    fc.assert(
      fc.property(cuts, (lengths) => {
        const patch: Buffer[] = [];
        const parser = new ShowParser((chunk) => patch.push(chunk));
        feed(`${HEADER}\0\0\n${RAW} M\0a\x001\t1\ta\0\0the\n\npatch`, lengths, (chunk) => parser.write(chunk));
        expect(parser.commit).toMatchObject({ sha: ID, message: 'subject\n\nbody' });
        expect(parser.changes.files).toEqual([{ path: Buffer.from('a'), status: 'modified', added: 1, removed: 1 }]);
        expect(Buffer.concat(patch).toString()).toBe('the\n\npatch');
      }),
    );
  });
});

it('BlameParser reads lines and remembers commits', () => {
  const parser = new BlameParser();
  for (const line of [
    `${ID} 1 1 1`,
    'author A b',
    'author-time 0',
    'summary author x',
    '\ttext',
    `${ID} 2 7`,
    '\t',
    `${'0'.repeat(40)} 3 8`,
    '\tx',
  ]) {
    parser.take(Buffer.from(line));
  }
  expect(parser.lines).toEqual([
    { line: 1, sha: ID, author: 'A b', date: '1970-01-01T00:00:00Z', text: 'text', uncommitted: false },
    { line: 7, sha: ID, author: 'A b', date: '1970-01-01T00:00:00Z', text: '', uncommitted: false },
    { line: 8, sha: '0'.repeat(40), author: '', date: '', text: 'x', uncommitted: true },
  ]);
});

it.each([
  [`100644 blob ${ID}      12\ta b`, { mode: '100644', type: 'blob', object: ID, size: 12, path: Buffer.from('a b') }],
  [`040000 tree ${ID}       -\td`, { mode: '040000', type: 'tree', object: ID, size: 0, path: Buffer.from('d') }],
  [`100644 blob ${ID}     BAD\tx`, { mode: '100644', type: 'blob', object: ID, size: 0, path: Buffer.from('x') }],
  ['nonsense', undefined],
])('parseTreeEntry reads %j', (record, entry) => expect(parseTreeEntry(Buffer.from(record))).toEqual(entry));
