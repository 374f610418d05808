import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CloneManifest, type ClonedEntry } from './clone-manifest.ts';

const entry = (own: string): ClonedEntry => ({ type: 'file', mode: 0o644, inode: '1:2', changed: '3', own, content: null });

/** A path for a manifest. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-manifest-'));
  return { path: join(folder, 'manifest'), [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

it('stays small, however often an entry was copied anew', () => {
  using at = place();
  CloneManifest.write(
    at.path,
    new Map([
      ['a"b', entry('1 1')],
      ['d', entry('1 2')],
      ['d/x\ty', entry('1 3')],
      ['dx', entry('1 4')],
    ]),
  );
  const once = readFileSync(at.path, 'utf8').length;
  for (let round = 0; round < 20; round += 1) CloneManifest.read(at.path).add(new Map([['a"b', entry('5 5')]]));
  expect(readFileSync(at.path, 'utf8')).toSatisfy((text: string) => text.length < 3 * once);
  CloneManifest.read(at.path).add(new Map([['d', null]]));
  const { entries } = CloneManifest.read(at.path);
  expect([...entries.keys()]).toEqual(['a"b', 'dx']);
  expect(entries.get('a"b')).toEqual(entry('5 5'));
});

// In the square of their number, this takes minutes.
it('forgets many entries of many', { timeout: 60_000 }, () => {
  using at = place();
  const names = Array.from({ length: 100_000 }, (_, index) => `folder/of/sources/${index}`);
  CloneManifest.write(at.path, new Map(names.map((name) => [name, entry('1 1')])));
  const manifest = CloneManifest.read(at.path);
  manifest.add(new Map(names.slice(1).map((name) => [name, null])));
  expect(CloneManifest.read(at.path).entries.size).toBe(1);
});

it('counts the entry of a damaged line as changed', () => {
  using at = place();
  CloneManifest.write(
    at.path,
    new Map([
      ['a', entry('1 1')],
      ['a"b', entry('1 2')],
    ]),
  );
  const text = readFileSync(at.path, 'utf8');
  // Up to the quotation mark in the name.
  writeFileSync(at.path, text.slice(0, text.lastIndexOf('b"')));
  expect([...CloneManifest.read(at.path).entries.keys()]).toEqual(['a']);
});
