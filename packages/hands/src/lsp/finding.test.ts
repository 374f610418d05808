import { describe, expect, it } from 'vitest';
import { readFindings } from './finding.ts';
import { serverFor } from './server-table.ts';
import { WatchedFiles } from './watched-files.ts';

const ROOT = '/home/a.b/code';
const at = (line: number, character: number, more: object = {}): object => ({ range: { start: { line, character } }, message: 'm', ...more });

describe('what a server says', () => {
  it('is sorted by place and severity', () => {
    const read = readFindings(
      [at(3, 0, { severity: 1 }), at(0, 5, { severity: 2, code: 2322 }), at(0, 5, { severity: 1, code: 'a' }), at(0, 1, { severity: 4 })],
      ROOT,
    );
    expect(read).toEqual([
      { line: 1, column: 2, severity: 'hint', code: '', message: 'm' },
      { line: 1, column: 6, severity: 'error', code: 'a', message: 'm' },
      { line: 1, column: 6, severity: 'warning', code: '2322', message: 'm' },
      { line: 4, column: 1, severity: 'error', code: '', message: 'm' },
    ]);
  });

  it('keeps its errors where it says too much', () => {
    const read = readFindings([...Array.from({ length: 3_000 }, (_, line) => at(line, 0, { severity: 4 })), at(9_000, 0, { severity: 1 })], ROOT);
    expect(read).toHaveLength(1_000);
    expect(read.at(-1)).toMatchObject({ line: 9_001, severity: 'error' });
  });

  it.each([
    ['control sequences', { message: 'a\u001b[31mb\u202ec' }, 'abc'],
    ['lines', { message: 'a\n  b\r\nc' }, 'a b c'],
    ['Markdown', { message: { kind: 'markdown', value: 'a' } }, 'a'],
    [
      'names of files',
      { message: "'/home/a.b/code/x/y.js' is not /home/a_b/code/z, /c/home/a.b/code/z or /home/a.b/codes" },
      "'x/y.js' is not /home/a_b/code/z, /c/home/a.b/code/z or /home/a.b/codes",
    ],
    ['a book', { message: 'x'.repeat(100_000) }, 'x'.repeat(1_000)],
  ])('is one harmless line: %s', (_, more, message) => expect(readFindings([at(0, 0, more)], ROOT)[0]?.message).toBe(message));

  it.each([undefined, null, 'x', {}, [null], [{}], [at(0, 0, { message: 1 })], [{ message: 'm' }], [at(0, 0, { severity: 'x' })]])(
    '%j is nothing',
    (items) => {
      expect(readFindings(items, ROOT)).toEqual([]);
    },
  );

  it.each([
    [at(-5, -5), 1, 1, 'error'],
    [at(0.5, 1e9), 1, 1_000_000_001, 'error'],
    [at(0, 0, { severity: 99 }), 1, 1, 'error'],
  ])('%j stays a place', (item, line, column, severity) => expect(readFindings([item], ROOT)[0]).toMatchObject({ line, column, severity }));
});

describe('the server for a file', () => {
  it.each([
    ['a.ts', 'typescript'],
    ['a/b.TSX', 'typescriptreact'],
    ['a.py', 'python'],
    ['a.h', 'c'],
    ['a.rs', 'rust'],
    ['a.go', 'go'],
    ['ts', undefined],
    ['a.constructor', undefined],
    ['a.md', undefined],
    ['', undefined],
  ])('%s', (path, language) => expect(serverFor(path)?.language).toBe(language));
});

describe('files that are watched', () => {
  const row = serverFor('a.ts')?.row;
  it('show which changed, which are new and which are gone', () => {
    const watched = new WatchedFiles(row ?? expect.fail());
    const file = (path: string, modified = 1) => ({ path, size: 1, modified });
    watched.update([file('a.ts'), file('b.ts')]);
    expect(watched.update([file('a.ts'), file('b.ts')])).toEqual({ events: [], restart: false });
    expect(watched.update([file('a.ts', 2), file('c.ts')])).toEqual({
      events: [
        { path: 'a.ts', type: 2 },
        { path: 'c.ts', type: 1 },
        { path: 'b.ts', type: 3 },
      ],
      restart: false,
    });
    expect(watched.update([file('a.ts', 2), file('c.ts'), file('p/tsconfig.build.json')]).restart).toBe(true);
    expect(watched.update([file('a.ts', 2), file('c.ts'), file('p/data.json')])).toMatchObject({ restart: true });
    expect(watched.update([file('a.ts', 2), file('c.ts'), file('p/data.json', 2)])).toMatchObject({ restart: false });
  });
});
