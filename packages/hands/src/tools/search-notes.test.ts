import { expect, it } from 'vitest';
import { searchNotes } from './search-notes.ts';

const SEARCHED = { pattern: 'ö', case: 'sensitive', literal: false, hidden: false, ignore: true, files_only: false, counts: false };
const FINDINGS = { matches: [], stoppedBy: undefined, changed: 0, tooLong: 0, inFolder: true, unreadable: false, leftOut: [], sandbox: undefined };
const END = { findings: FINDINGS, globs: [], files: 0, isNamed: false, noFiles: false, note: undefined, reading: undefined };

const notes = (files: number, others: { files: string[]; more: boolean } | undefined): string =>
  searchNotes(SEARCHED, { ...END, files, others }).join(' ');

it.each<readonly [string, number, { files: string[]; more: boolean } | undefined, string | undefined]>([
  ['every file was looked at, and all are UTF-8', 0, undefined, undefined],
  ['one is not', 1, { files: ['a'], more: false }, '1 file not in UTF-8 or UTF-16, where text beyond ASCII is not found: a.'],
  [
    'many are not',
    1,
    { files: 'abcdefg'.split(''), more: true },
    'At least 7 files not in UTF-8 or UTF-16, where text beyond ASCII is not found: a, b, c, d, e and 2 more.',
  ],
  ['the time was up before one was found', 0, { files: [], more: true }, 'Text beyond ASCII is found only in files in UTF-8 or UTF-16.'],
  ['the time was up, and there are matches', 3, { files: [], more: true }, undefined],
])('old encodings: %s', (_, files, others, says) => {
  if (says === undefined) expect(notes(files, others)).not.toMatch(/UTF-8/u);
  else expect(notes(files, others)).toContain(says);
});
