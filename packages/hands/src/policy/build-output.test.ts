import { expect, it } from 'vitest';
import { buildFolder, buildOutput, ignoresItself, isBeyondOutput } from './build-output.ts';

it.each([
  'dist',
  'dist/index.js',
  'packages/a/dist/index.js',
  'coverage/lcov.info',
  'target/debug/x',
  'tsconfig.tsbuildinfo',
  'npm-debug.log',
  '.eslintcache',
  'node_modules/.vite/vitest/results.json',
  'packages/a/node_modules/.cache/x',
])('%s is output', (path) => {
  expect(buildOutput(path)).toEqual(expect.any(String));
});

it.each([
  'src/a.ts',
  'node_modules',
  'node_modules/a/index.js',
  'node_modules/.bin/tsc',
  'dist/node_modules/a/index.js',
  'node_modules/.cache/a/node_modules/.bin/b',
  'node_modules/.cache/jiti/eslint-config.mjs',
  'node_modules/.cache/@babel/register/.babel.json',
  'src/__pycache__/a.pyc',
  'dist/__pycache__/a.pyc',
  '.venv/bin/python',
  'vendor/a',
  'bin/tool',
  '.git/hooks/pre-commit',
  '.env',
  'distant/a',
])('%s may be more', (path) => {
  expect(buildOutput(path)).toBeUndefined();
});

it.each([
  ['dist/a.js', undefined, false],
  ['build/libx.so', 'libx.so.1', false],
  ['build/x.framework/x', 'Versions/Current/x', false],
  ['build/x', '../src', true],
  ['build/x', 'sub/../../src', true],
  ['build/x', '/etc', true],
  ['dist', 'src', true],
  ['x.log', 'src/a.ts', true],
  ['dist/.venv/bin/python', undefined, true],
  ['dist/node_modules', undefined, true],
  ['src/a.ts', undefined, true],
])('%s, a link to %s, may be more: %s', (path, target, isMore) => {
  expect(isBeyondOutput(path, target)).toBe(isMore);
});

it.each([
  ['.pytest_cache/v/cache/nodeids', true],
  ['packages/a/.ruff_cache', true],
  ['dist/a.js', false],
  ['src/pytest_cache/a', false],
])('%s is ignored in every repository: %s', (path, ignored) => {
  expect(ignoresItself(path)).toBe(ignored);
});

// What is executed or loaded by later builds and programs.
it.each([
  ['dist', 'dist'],
  ['packages/a/target/debug/build/x/build-script-build', 'packages/a/target'],
  ['build/dist/a', 'build'],
  ['.next/cache/webpack/x.pack', '.next'],
  ['.gradle/8.5/executionHistory/x.bin', '.gradle'],
  ['node_modules/.cache/babel-loader/x.json', 'node_modules/.cache'],
  ['.zig-cache/o/x/build', '.zig-cache'],
  ['a/zig-out/bin/x', 'a/zig-out'],
  ['.angular/cache/20/x/babel-webpack/a.pack', '.angular'],
  ['.nx/cache/1/outputs/a.js', '.nx'],
  ['.stack-work/dist/x/build/a', '.stack-work'],
  ['dist-newstyle/build/x', 'dist-newstyle'],
  ['cmake-build-debug/CMakeFiles/x/build.make', 'cmake-build-debug'],
  ['dist/node_modules/a/index.js', 'dist'],
  ['node_modules/a/dist/index.js', undefined],
  ['vendor/build/a', undefined],
  ['coverage/lcov.info', undefined],
  ['coverage/build/a', undefined],
  ['.pytest_cache/v/x', undefined],
  ['npm-debug.log', undefined],
  ['src/a.ts', undefined],
  ['distant/a', undefined],
])('%s is in the build folder %s', (path, folder) => {
  expect(buildFolder(path)).toBe(folder);
});
