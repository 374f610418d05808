import { expect, it } from 'vitest';
import { openCallLog } from '../call-log.ts';
import { newProject, openHands } from '../fixtures/test-project.ts';
import { discoverStructure } from '../structure/discover-structure.ts';
import { readTestRecords } from './test-records.ts';

const vitest = (...files: readonly string[]): string => JSON.stringify({ results: files.map((file) => [`main:${file}`, { failed: true }]) });

// Vitest and pytest keep the failures of files that were deleted or moved since.
it.each([
  { kind: 'vitest', record: 'node_modules/.vite/vitest/da39/results.json', text: vitest('src/cart.test.ts', 'src/gone.test.ts', '/deep.test.ts') },
  {
    kind: 'pytest',
    record: '.pytest_cache/v/cache/lastfailed',
    text: '{"src/cart.test.ts::test_a[1]": true, "src/gone.test.ts::test_b": true, "deep.test.ts::test_c": true}',
  },
  {
    kind: 'rspec',
    record: 'spec/examples.txt',
    text: './src/cart.test.ts[1:1] | failed | 1 s |\n./src/gone.test.ts[1:1] | failed | 1 s |\n./deep.test.ts[1:2] | failed | 1 s |\n',
  },
])('counts the failures of tests that still exist: $kind', async ({ record, text }) => {
  const { folder, write } = await newProject();
  await write('src/cart.test.ts', 'one\n');
  await write('inner/deep.test.ts', 'two\n');
  await write(record, text);
  await using hands = await openHands(folder);
  const { ask } = openCallLog(hands, {}).step('x');
  const structure = await discoverStructure(ask);
  const failed = await readTestRecords(ask, structure);
  expect(failed).toMatchObject({ path: record, count: 2, names: [expect.stringContaining('cart'), expect.stringContaining('deep')] });
  const without = { ...structure, paths: structure.paths.filter((path) => !path.endsWith('.test.ts')) };
  expect(await readTestRecords(ask, without)).toBeUndefined();
  expect(await readTestRecords(ask, { ...without, partial: true })).toMatchObject({ count: 3 });
});
