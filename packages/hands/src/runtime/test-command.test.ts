import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { isTestCommand } from './test-command.ts';

it.each([
  'npm test',
  'npm t',
  'npm run test:unit -- --watch=false',
  'pnpm -r test',
  'yarn test',
  'cd packages/a && npx vitest run src/x.test.ts',
  './node_modules/.bin/jest',
  'CI=true vitest run',
  'python3 -m pytest -q',
  'pytest',
  'go test ./...',
  'cargo test',
  'cargo nextest run',
  'make check',
  './gradlew test',
  'node --conditions=x --test',
  'bash -c "npm test"',
  'npx playwright test',
])('runs tests: %s', (line) => {
  expect(isTestCommand(line)).toBe(true);
});

it.each([
  'npm install',
  'npm install vitest-x',
  'cat src/test.js',
  'test -f x',
  'git commit -m test',
  'ls test',
  'npm run build',
  'go build ./test',
  'npm -x '.repeat(5_000),
])('runs no tests: %s', (line) => {
  const started = computedMs();
  expect(isTestCommand(line)).toBe(false);
  expect(computedMs() - started).toBeLessThan(500);
});
