import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SAME_ON_EACH_NODE } from '../../scripts/same-on-each-node.ts';

const root = join(import.meta.dirname, '..', '..');
const tests = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'].flatMap((pattern) => globSync(pattern, { cwd: root }));

it('finds the tests of both kinds', () => {
  expect(tests.filter((path) => path.endsWith('.process.test.ts')).length).toBeGreaterThan(200);
  expect(tests.filter((path) => !path.endsWith('.process.test.ts')).length).toBeGreaterThan(200);
});

// What starts a process in another way fails when it runs: scripts/unit-tests.ts.
it('a test that imports what starts processes is named *.process.test.ts', () => {
  const wrong = tests.filter(
    (path) => !path.endsWith('.process.test.ts') && /from '(?:node:)?child_process'/u.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(wrong).toEqual([]);
});

it('a heavy test starts processes, and CI runs it', () => {
  const heavy = tests.filter((path) => path.includes('.heavy.'));
  expect(heavy.length).toBeGreaterThan(50);
  expect(heavy.filter((path) => !path.endsWith('.heavy.process.test.ts'))).toEqual([]);
  // What `npm test` leaves out is run by this alone.
  expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(/^npm run test:all$/mu);
});

it('names tests that exist', () => {
  expect(SAME_ON_EACH_NODE.filter((path) => !tests.includes(path))).toEqual([]);
});
