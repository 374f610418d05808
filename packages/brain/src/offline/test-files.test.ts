import { describe, expect, it } from 'vitest';
import { isTestFile, testsOf, usageOf } from './test-files.ts';

const EXPRESS = [
  'lib/utils.js',
  'lib/view.js',
  'test/support/utils.js',
  'test/support/tmpl.js',
  'test/utils.js',
  'test/app.js',
  'test/fixtures/a.js',
];

describe('the tests of a file', () => {
  it.each([
    ['lib/utils.js', EXPRESS, ['test/utils.js']],
    ['lib/view.js', EXPRESS, []],
    ['lib/helpers/bind.js', ['test/unit/helpers/bind.js', 'test/helpers/server.js'], ['test/unit/helpers/bind.js']],
    ['src/cart.ts', ['src/cart.test.ts', 'src/cart_extra.test.ts', 'test/cart.spec.ts'], ['src/cart.test.ts', 'test/cart.spec.ts']],
    ['src/flask/ctx.py', ['tests/test_ctx.py', 'tests/type_check/ctx.py'], ['tests/test_ctx.py']],
    ['lib/rack/request.rb', ['test/spec_request.rb', 'test/request_test.rb'], ['test/spec_request.rb', 'test/request_test.rb']],
    ['command.go', ['command_test.go', 'doc/command_test.go'], ['command_test.go']],
    ['src/main/java/shop/Order.java', ['src/test/java/shop/OrderTest.java'], ['src/test/java/shop/OrderTest.java']],
    ['src/a/index.ts', ['src/b/index.test.ts'], []],
    ['src/money.ts', ['tests/money.py'], []],
  ])('%s', (path, paths, tests) => {
    expect(testsOf(path, paths)).toEqual(tests);
  });

  it.each([
    ['test/support/tmpl.js', false],
    ['tests/type_check/typing_error_handler.py', false],
    ['tests/conftest.py', false],
    ['test/helpers/create-large-file.ts', false],
    ['test_suite/tests/ui/with/incorrect_type.stderr', false],
    ['test/static/another/index.html', false],
    ['test/helpers/foo.test.ts', true],
    ['test/app.js', true],
  ])('%s', (path, is) => {
    expect(isTestFile(path)).toBe(is);
  });
});

describe('how a project is used', () => {
  it.each([
    [[...EXPRESS, 'examples/hello-world/index.js', 'examples/auth/index.js'], ['express'], 'examples/hello-world/index.js'],
    [EXPRESS, ['express'], 'test/app.js'],
    [['tests/test_hooks.py', 'tests/test_requests.py', 'tests/testserver/server.py'], ['requests'], 'tests/test_requests.py'],
    [['tests/type_check/typing_route.py', 'tests/test_basic.py', 'tests/test_cli.py'], ['flask'], 'tests/test_basic.py'],
    [['src/a.rs'], [], undefined],
    // A part of jq that runs tests is none of its tests.
    [['src/main.c', 'src/jq_test.c'], ['jq'], undefined],
    [['src/parse.c', 'src/parse_test.c'], [], 'src/parse_test.c'],
    [['tests/run_test.c'], [], 'tests/run_test.c'],
  ])('%j', (paths, names, path) => {
    expect(usageOf(paths, names)).toBe(path);
  });
});
