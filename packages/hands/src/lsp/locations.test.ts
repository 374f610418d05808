import { expect, it } from 'vitest';
import { readLocations } from './locations.ts';

const at = (line: number, character = 0) => ({ start: { line, character }, end: { line, character: character + 1 } });

it('reads places below the root, each once', () => {
  const place = { uri: 'file:///w/a%20b.ts', range: at(1) };
  expect(readLocations([place, place, { targetUri: 'file:///w/c.ts', targetSelectionRange: at(2), targetRange: at(0) }], '/w')).toEqual({
    places: [
      { path: 'a b.ts', range: at(1) },
      { path: 'c.ts', range: at(2) },
    ],
    outside: [],
    malformed: 0,
  });
  expect(readLocations({ uri: 'file:///w/a.ts', range: at(1) }, '/w').places).toHaveLength(1);
  expect(readLocations(null, '/w')).toEqual({ places: [], outside: [], malformed: 0 });
});

it.each([
  ['another folder', 'file:///etc/passwd'],
  ['a folder whose name begins with that of the root', 'file:///wide/passwd'],
  ['the root itself', 'file:///w'],
  ['a way out', 'file:///w/..%2fpasswd'],
  ['another host', 'file://host/w/passwd'],
  ['no file', 'untitled:passwd'],
  ['a NUL', 'file:///w/a%00/passwd'],
])('takes no place in %s', (_, uri) => {
  const { places, outside } = readLocations([{ uri, range: at(1) }], '/w');
  expect(places).toEqual([]);
  expect(outside).toHaveLength(1);
});

it.each([
  [5],
  ['text'],
  [{ uri: 5, range: at(1) }],
  [{ uri: 'file:///w/a.ts', range: at(-1) }],
  [{ uri: 'file:///w/a.ts', range: at(Number.NaN) }],
  [{ uri: 'file:///w/a.ts' }],
])('skips what is no place: %j', (item) => {
  expect(readLocations([item], '/w')).toEqual({ places: [], outside: [], malformed: 1 });
});
