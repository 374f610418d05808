import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROCESS_TESTS } from '../../scripts/process-tests.ts';
import { SAME_ON_EACH_NODE } from '../../scripts/same-on-each-node.ts';

const root = join(import.meta.dirname, '..', '..');

it('names tests that exist', () => {
  expect([...PROCESS_TESTS, ...SAME_ON_EACH_NODE].filter((pattern) => globSync(pattern, { cwd: root }).length === 0)).toEqual([]);
});

it('names each test once', () => {
  const files = PROCESS_TESTS.flatMap((pattern) => globSync(pattern, { cwd: root }));
  expect(files).toEqual([...new Set(files)]);
});
