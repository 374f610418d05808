import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDevlogs } from './devlog-files.ts';
import { dateOf } from './heading-date.ts';
import { parseDevlog } from './parse-devlog.ts';

const LOG = { latest: 'last', isList: false } as const;
const CHANGES = { latest: 'first', isList: false } as const;
const LIST = { latest: 'first', isList: true } as const;

describe('findDevlogs', () => {
  it.each([
    [['DEVLOG.md'], ['DEVLOG.md']],
    [['docs/CHANGELOG.md', 'CHANGELOG.md'], ['CHANGELOG.md']],
    [
      ['notes.txt', 'TODO', 'dev-log.rst', 'HISTORY.md', 'Roadmap.md'],
      ['dev-log.rst', 'TODO', 'notes.txt', 'Roadmap.md'],
    ],
    [['src/notes.md', 'notes.ts', 'mynotes.md', 'TODO/x.md'], []],
  ])('among %j are %j', (paths, found) => {
    expect(findDevlogs(paths, 4).map(({ path }) => path)).toEqual(found);
  });
});

describe('parseDevlog', () => {
  it('takes the entry of the latest date, wherever it stands', () => {
    const text = '# Log\n\n## 2026-11-02\nNewest.\n\n## 2026-10-01\nOlder.\n';
    expect(parseDevlog(text, 1, LOG)).toMatchObject({ entry: { value: '2026-11-02', line: 3 }, summary: { value: 'Newest.', line: 4 } });
  });

  it('counts lines from where the text begins in its file', () => {
    expect(parseDevlog('## 2026-01-01\n\n- did x\n', 1_001, LOG)).toMatchObject({ entry: { line: 1_001 }, summary: { value: 'did x', line: 1_003 } });
  });

  it('takes the entry at the right end where there are only versions, and passes over empty ones', () => {
    const text = '# Changelog\n## Unreleased\n## 2.0.0\n### Added\n- A thing\n## 1.0.0\n- First\n';
    expect(parseDevlog(text, 1, CHANGES)).toMatchObject({ entry: { value: '2.0.0', line: 3 }, summary: { value: 'A thing', line: 5 } });
    expect(parseDevlog(text, 1, LOG)).toMatchObject({ entry: { value: '1.0.0', line: 6 } });
  });

  it('finds open boxes and plans, and leaves out what is done', () => {
    const text = '## Next\n- write docs\n- [x] done\n- [ ] ship\n## Completed tasks\n- old\n## Ideas\n- [ ] dream\n';
    expect(parseDevlog(text, 1, CHANGES).open).toEqual([
      { value: 'ship', line: 4 },
      { value: 'dream', line: 8 },
      { value: 'write docs', line: 2 },
    ]);
  });

  it('takes every item of a to-do list', () => {
    expect(parseDevlog('- one\n* two\n1. three\nprose\n# Done\n- four\n', 1, LIST).open.map(({ value }) => value)).toEqual(['one', 'two', 'three']);
  });

  it('puts the last items of a log first', () => {
    expect(parseDevlog('- [ ] a\n- [ ] b\n', 1, LOG).open.map(({ value }) => value)).toEqual(['b', 'a']);
  });

  it('reads underlined headings, and nothing in fences', () => {
    const text = 'Next steps\n==========\n\n* x\n\n```\n## Next\n- [ ] no\n```\n';
    expect(parseDevlog(text, 1, CHANGES).open).toEqual([{ value: 'x', line: 4 }]);
  });

  it('gives lines that are in the text, whatever the text', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('# 2026-01-02', '## Next', '- [ ] a', '```', '---', '', '===', '1.0'));
    const isInText = (lines: string[]): boolean => {
      const text = lines.join('\n');
      const total = text.split(/\r\n|\n|\r/u).length;
      const { entry, summary, open } = parseDevlog(text, 1, LOG);
      return [entry, summary, ...open].every((fact) => fact === undefined || (fact.line >= 1 && fact.line <= total));
    };
    expect(() => fc.assert(fc.property(fc.array(line), isInText))).not.toThrow();
  });
});

it.each([
  ['2026-11-20', '2026-11-20'],
  ['[1.2.0] - 2026-11-20', '2026-11-20'],
  ['2026/11/20', '2026-11-20'],
  ['20 Nov 2026', '2026-11-20'],
  ['November 20th, 2026', '2026-11-20'],
  ['Friday, 3 September 2026', '2026-09-03'],
  ['1.2.3', undefined],
  ['2026-99-99', undefined],
])('the day of %j is %s', (heading, day) => {
  const time = dateOf(heading);
  expect(time === undefined ? undefined : new Date(time).toISOString().slice(0, 10)).toBe(day);
});
