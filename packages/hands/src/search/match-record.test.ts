import { describe, expect, it } from 'vitest';
import { isMatch, parseMatch } from './match-record.ts';

const record = (fields: object): Buffer => Buffer.from(JSON.stringify({ type: 'match', data: fields }));
const DATA = {
  path: { text: './a.ts' },
  lines: { text: 'foo bar\n' },
  line_number: 3,
  absolute_offset: 20,
  submatches: [{ match: { text: 'bar' }, start: 4, end: 7 }],
};

describe('parseMatch', () => {
  it('reads a match', () => {
    expect(isMatch(record(DATA))).toBe(true);
    expect(parseMatch(record(DATA))).toEqual({
      path: Buffer.from('./a.ts'),
      line: 3,
      offset: 20,
      text: Buffer.from('foo bar\n'),
      start: 4,
      match: Buffer.from('bar'),
    });
  });

  it('reads bytes that are not UTF-8', () => {
    const path = Buffer.from([0x2e, 0x2f, 0xff]);
    expect(parseMatch(record({ ...DATA, path: { bytes: path.toString('base64') } }))?.path).toEqual(path);
  });

  it('keeps only the beginning of a long line', () => {
    expect(parseMatch(record({ ...DATA, lines: { text: 'x'.repeat(50_000) } }))?.text).toHaveLength(4_096);
  });

  it.each<[string, Buffer]>([
    ['no JSON', Buffer.from('{"type":"match"')],
    ['no match', record({ ...DATA, submatches: [] })],
    ['a negative offset', record({ ...DATA, absolute_offset: -1 })],
    ['no path', record({ ...DATA, path: {} })],
  ])('refuses %s', (_name, bytes) => {
    expect(parseMatch(bytes)).toBeUndefined();
  });

  it('knows the other records', () => {
    expect(isMatch(Buffer.from('{"type":"begin","data":{}}'))).toBe(false);
  });
});
