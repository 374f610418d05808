import { expect, it } from 'vitest';
import { buildFolder, buildOutput, ignoresItself, isBeyondOutput } from './tool-folders.ts';

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
  // What runners of tests and type checkers write.
  'coverage/prettify.js',
  'coverage/lcov-report/src/index.ts.html',
  'coverage/lcov-report/block-navigation.js',
  'coverage/coverage-final.json',
  'coverage/.resultset.json.lock',
  'coverage/.gitignore',
  'coverage/tests/index.html',
  'coverage/assets/0.13.1/application.js',
  'htmlcov/coverage_html_cb_6fb7b396.js',
  'htmlcov/z_a44f0ac069e85531_test_a_py.html',
  'htmlcov/.gitignore',
  '.nyc_output/0c1e.json',
  '.nyc_output/processinfo/index.json',
  'test-results/.last-run.json',
  'test-results/a-chromium/trace.zip',
  'test-results/a/test-failed-1.png',
  'playwright-report/index.html',
  'playwright-report/data/0a1b.webm',
  'playwright-report/trace/assets/codeMirrorModule-a.js',
  '.pytest_cache/CACHEDIR.TAG',
  '.pytest_cache/README.md',
  '.pytest_cache/v/cache/nodeids',
  '.mypy_cache/3.13/tests/test_a.meta.json',
  '.mypy_cache/3.13/a.data.ff',
  '.mypy_cache/3.13/cache.db',
  '.ruff_cache/0.14.2/1234567890',
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
  'vendor/bundle/a',
  'dist/vendor/composer/autoload_real.php',
  'bin/tool',
  '.git/hooks/pre-commit',
  '.env',
  'distant/a',
  // Runners of tests execute these, wherever they are.
  'coverage/evil.test.js',
  'coverage/lcov-report/a_test.mjs',
  'coverage/a-spec.cjs',
  'coverage/__tests__/a.js',
  'test-results/a.spec.ts',
  'test-results/package.json',
  'playwright-report/jest.config.js',
  'htmlcov/test_a.py',
  'htmlcov/conftest.py',
  '.pytest_cache/conftest.py',
  'coverage/a_test.go',
  'coverage/gen.go',
  'coverage/a.pth',
  'coverage/Makefile',
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
