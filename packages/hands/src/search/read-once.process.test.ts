import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { twoSearches } from '../testing/two-searches.ts';

/** Some are read by the index, and the last one, which is in UTF-16, is left to ripgrep. */
const FILES = {
  'a.ts': 'needle\n',
  'folder/kept.ts': 'needle\n',
  'folder/.shown/a.ts': 'needle\n',
  'folder/.shown/.git/HEAD': '',
  'folder/wide.ts': Buffer.from('\uFEFFneedle\n', 'utf16le'),
};

it.each([
  ['no rules', ''],
  ['a rule that brings a file back', '*.log\n!kept.ts\n'],
  ['a rule that brings a folder back', '*.log\n!.shown\n'],
])('finds each line once where the index and ripgrep search together: %s', async (_, rules) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-once-')));
  for (const [path, text] of Object.entries({ ...FILES, 'folder/.gitignore': rules })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  await using searches = await twoSearches(root);
  await searches.untilIndexed();
  const request = { pattern: 'needle', literal: true, hidden: true };
  const [indexed, plain] = [await searches.indexed.text(request), await searches.plain.text(request)];
  expect(indexed.matches.map(({ path }) => path)).toEqual(['a.ts', 'folder/.shown/a.ts', 'folder/kept.ts', 'folder/wide.ts']);
  expect(indexed.matches).toEqual(plain.matches);
});
