import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDevlogs } from './devlog-files.ts';
import { dateOf } from './heading-date.ts';
import { parseDevlog } from './parse-devlog.ts';

const LOG = { latest: 'last', isList: false } as const;
const CHANGES = { latest: 'first', isList: false } as const;
const CHANGE_LOG = { ...CHANGES, isChangeLog: true } as const;
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
    expect(parseDevlog(text, 1, CHANGES).open).toMatchObject([
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

  it('takes what the latest entry is stuck on first, then what comes next; older entries were dealt with', () => {
    const text = [
      '## 2026-05-01',
      'Next: the old thing.',
      '- [ ] still open',
      '## 2026-06-02',
      'Wrote the parser.',
      '**Next:** render the',
      'totals.',
      'Stuck: the tax test fails, and',
      'I do not know why.',
      '- Left to do:',
      '- coupons',
      '- ~~refunds~~',
    ].join('\n');
    expect(parseDevlog(text, 1, LOG).open).toEqual([
      { kind: 'stuck', value: 'the tax test fails, and I do not know why.', line: 8 },
      { kind: 'next', value: 'coupons', line: 11 },
      { kind: 'next', value: 'render the totals.', line: 6 },
      { kind: 'box', value: 'still open', line: 3 },
    ]);
  });

  it.each([
    ['# C\n## [Unreleased]\n- A\n- B\n## 1.0.0 - 2026-01-01\n- C\n', '[Unreleased]', ['A', 'B']],
    ['# C\n## Unreleased\n\n## 1.0.0 - 2026-01-01\n- C\n', '1.0.0 - 2026-01-01', []],
    ['TBD\n===\nUnreleased changes. Release notes have not yet been written.\n\n15.2.0 (2026-07-15)\n====\nX\n', '15.2.0 (2026-07-15)', []],
    ['dev\n---\n\n- \\[Short description of non-trivial change.\\]\n\n2.34.2 (2026-05-14)\n----\n- X\n', '2.34.2 (2026-05-14)', []],
    ['## 0.9.0\n- a\n## 0.10.0\n- b\n## 1.0.0\n- c\n', '1.0.0', []],
    ['## 2.0.0 (unreleased)\n- a\n## 1.9.0\n- b\n', '2.0.0 (unreleased)', ['a']],
  ])('knows the latest entry of a change log: %j', (text, entry, unreleased) => {
    const facts = parseDevlog(text, 1, CHANGE_LOG);
    expect(facts.entry?.value).toBe(entry);
    expect(facts.unreleased.map(({ value }) => value)).toEqual(unreleased);
  });

  it('sees that a change log goes on elsewhere', () => {
    const text = '# Log\n\nThe change log for versions newer than 2.10 is available\nonly on the releases page.\n\n## Version 2.10\n- x\n';
    expect(parseDevlog(text, 1, CHANGE_LOG).elsewhere).toMatchObject({ line: 3 });
    expect(parseDevlog('# Log\n\n## Version 2.10\n- Newer versions of x\n', 1, CHANGE_LOG).elsewhere).toBeUndefined();
  });

  it('reads underlined headings, and nothing in fences', () => {
    const text = 'Next steps\n==========\n\n* x\n\n```\n## Next\n- [ ] no\n```\n';
    expect(parseDevlog(text, 1, CHANGES).open).toMatchObject([{ value: 'x', line: 4 }]);
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

describe('plans in other languages, and in a README', () => {
  it.each([
    ['## 2026-05-02\n\nAls Nächstes: Export nach PDF\n', 'next', 'Export nach PDF'],
    ['## 2026-05-02\n\nBlockiert: die Schnittstelle fehlt\n', 'stuck', 'die Schnittstelle fehlt'],
    ['## 2026-05-02\n\n### Nächste Schritte\n\n- Umlaute prüfen\n', 'next', 'Umlaute prüfen'],
    ['## 2026-05-02\n\n### À faire\n\n- exporter en PDF\n', 'next', 'exporter en PDF'],
    ['## 2026-05-02\n\n**Próximos pasos:** exportar a PDF\n', 'next', 'exportar a PDF'],
  ])('%j', (text, kind, value) => {
    expect(parseDevlog(`# Log\n\n${text}`, 1, LOG).open).toMatchObject([{ kind, value }]);
  });

  const readme = { latest: 'first', isList: false, isReadme: true } as const;
  it('are what a README lists below a heading of plans, and nothing else of it', () => {
    const text =
      '# Kassenbuch 2.0\n\n- [ ] no plan\n\n## Next.js\n\n- a feature\n\nTODO: no plan\n\n## 🚀 Nächste Schritte\n\n- [x] Import\n- [ ] Export\n- Druck\n\n## Roadmap\n\n### Later\n\n* maps\n\n## Notes\n\n- none\n';
    expect(parseDevlog(text, 1, readme)).toMatchObject({
      entry: undefined,
      unreleased: [],
      open: [
        { kind: 'box', value: 'Export' },
        { kind: 'next', value: 'Druck' },
        { kind: 'next', value: 'maps' },
      ].toSorted((a, b) => a.kind.localeCompare(b.kind)),
    });
  });
});
