import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EscapeStripper } from '../../text/terminal-text.ts';
import { condenseOutput } from './condense-output.ts';

/** Outputs of the real programs on a small project with failures, as they were printed. */
const FOLDER = new URL('recorded/', import.meta.url);
const ROOT = '/home/ada/project';
const recorded = (name: string): string => new EscapeStripper().strip(readFileSync(new URL(name, FOLDER), 'utf8'));

it.each<[file: string, runner: string, share: number, keeps: string[], drops: string[]]>([
  [
    'vitest.txt',
    'vitest',
    0.5,
    [
      ' FAIL  src/bad.test.ts > sum > adds\nAssertionError: expected 3 to be 4 // Object.is equality\n- 4\n+ 3\n ❯ src/bad.test.ts:6:23\n      6|     expect(sum(1, 2)).toBe(4);',
      ' ❯ boom src/sum.ts:8:9\n      8|   throw new TypeError',
      "Error: Cannot find module './not-there'",
      'Tests  4 failed | 12 passed | 1 skipped (17)',
      'looking at the user',
    ],
    ['ok1.test.ts', '⎯', 'node_modules', '- Expected', 'Duration'],
  ],
  [
    'vitest-5.txt',
    'vitest',
    0.3,
    ['FAIL  sum.test.js > sum > names', 'Received: "a b"\n ❯ sum.test.js:8:45', '1 failed | 25 passed'],
    ['❯ sum (2)', '✓', 'Isolate', 'faster with'],
  ],
  ['vitest-verbose.txt', 'vitest', 0.5, ['FAIL  src/bad.test.ts > sum > waits', '4 failed'], ['✓', '↓']],
  [
    'jest.txt',
    'jest',
    0.65,
    ['● sum › adds', 'Expected: 4', '> 4 |     expect(sum(1, 2)).toBe(4);', 'bad.test.js:4:23', '3 failed, 1 skipped, 8 passed'],
    ['PASS', 'Time:'],
  ],
  ['jest-verbose.txt', 'jest', 0.65, ['TypeError: cannot boom', "Cannot find module './nope'"], ['✓', '✕']],
  [
    'jest-unparsed.txt',
    'jest',
    0.1,
    [
      'FAIL ./syntax.test.js\n  ● Test suite failed to run\n    Jest encountered an unexpected token\n    SyntaxError: syntax.test.js: Unexpected token (1:10)',
      'must contain at least one test',
      '3 failed, 21 skipped, 3 of 24 total',
    ],
    ['Out of the box', 'https://jestjs.io', 'Summary of all', '<anonymous>)\n    '],
  ],
  [
    'pytest-fail.txt',
    'pytest',
    0.5,
    [
      '>       assert add(1, 2) == 4\nE       assert 3 == 4',
      'tests/test_calc.py:12: AssertionError',
      'a = 1, b = 0',
      'some output',
      'FAILED tests/test_calc.py::test_add',
      '3 failed, 41 passed, 1 skipped, 1 error in 0.71s',
    ],
    ['platform', '[ 97%]', '===', 'def test_add'],
  ],
  [
    'pytest-short.txt',
    'pytest',
    0.5,
    ['tests/test_calc.py:12: in test_add\n    assert add(1, 2) == 4\nE   assert 3 == 4', 'calc.py:6: in divide\n    return a / b'],
    ['platform'],
  ],
  ['pytest-v.txt', 'pytest', 0.5, ["ModuleNotFoundError: No module named 'nothere'", 'Interrupted: 1 error during collection'], ['cachedir']],
  ['pytest-ok.txt', 'pytest', 0.05, ['41 passed, 5 deselected in 1.42s'], ['PASSED']],
  ['pytest-q.txt', 'pytest', 0.6, ['E       ZeroDivisionError: division by zero\ncalc.py:6: ZeroDivisionError'], ['[100%]']],
  [
    'pytest-workers.txt',
    'pytest',
    0.2,
    [
      'E       assert 3 == 4',
      'FAILED tests/test_a.py::test_add[bad - one]\nFAILED tests/test_a.py::test_add[bad [two]]\nFAILED tests/test_a.py::TestNest',
      'warnings summary\ntests/test_a.py::test_warn\n  tests/test_a.py:38',
      '4 failed, 102 passed',
    ],
    ['[gw', 'workers', 'scheduling', 'test_many', ' FAILED'],
  ],
  [
    'pytest-native.txt',
    'pytest',
    0.12,
    [
      'ERROR at setup of test_uses\nTraceback (most recent call last):\n  File "tests/test_a.py", line 24, in broken\n    raise RuntimeError(\'fixture\')\nRuntimeError: fixture',
      'ValueError: boom\nsecond line',
    ],
    ['site-packages', '^^^', 'hook_impl'],
  ],
  [
    'go.txt',
    'go test',
    0.6,
    [
      'calc_test.go:7: Add(1, 2) = 3, want 4',
      'bad/bad.go:4:9: undefined: y',
      'panic: assignment to entry in nil map',
      'go/panics/a_test.go:5',
      'FAIL\texample.com/calc/bad [build failed]',
      'ok: 1 package',
    ],
    ['testing.go', 'goroutine'],
  ],
  ['go-v.txt', 'go test', 0.5, ['--- FAIL: TestAdd', 'got 2, want 3'], ['=== RUN', 'TestOk', 'later']],
  [
    'node-spec.txt',
    'node --test',
    0.3,
    [
      'debugging here',
      'test at src/a.test.js:8:34\n✖ throws (26.907252ms)\n  TypeError: Cannot read properties of null',
      'at total (file:///home/ada/project/src/total.js:1:43)',
      '  +     2\n  -     3',
      'Error: boom\n  with two lines',
      'tests 28, pass 22, fail 4, skipped 1, todo 1',
    ],
    ['✔', '▶', '﹣', 'a cart', 'node:internal', 'generatedMessage', '}\n\n', 'duration', 'cancelled'],
  ],
  ['node-spec-22.txt', 'node --test', 0.3, ['test at src/a.test.js:12:1', '5 !== 6', 'fail 4'], ['✔', '▶', 'node:', 'operator']],
  [
    'node-tap.txt',
    'node --test',
    0.25,
    ["not ok 2 - adds prices\n      location: 'src/a.test.js:7:3'", '        5 !== 6', 'boom\n    with two lines', 'tests 28, pass 22, fail 4'],
    ['ok 1 - adds 0', 'Subtest', 'a cart', 'node:internal', 'duration_ms', '1..'],
  ],
  ['node-tap-ok.txt', 'node --test', 0.05, ['tests 8, pass 8, fail 0'], ['ok 1']],
  [
    'cargo.txt',
    'cargo',
    0.25,
    [
      'panicked at src/lib.rs:12:9:\nassertion `left == right` failed: sums differ\n  left: 3\n right: 4',
      './src/lib.rs:12:9',
      'test result: FAILED. 3 passed; 2 failed; 1 ignored',
      'some output',
    ],
    ['/rustc/', '... ok', 'Compiling'],
  ],
  ['cargo-build.txt', 'cargo', 0.75, ['error[E0308]: mismatched types\n --> src/main.rs:3:18', 'expected `i32`, found `&str`'], ['rustc --explain']],
  [
    'tsc-many.txt',
    'tsc',
    0.5,
    [
      "error TS2322: Type 'string' is not assignable to type 'number'.\n  9 times: src/many1.ts(1,7) src/many2.ts(1,7)",
      'src/types.ts(5,20): error TS2339',
    ],
    [],
  ],
  [
    'eslint.txt',
    'eslint',
    0.6,
    [
      "js/lint/one.js\n  1:7 'a' is assigned a value but never used (no-unused-vars)",
      '✖ 11 problems (9 errors, 2 warnings)',
      'Warnings are left out',
    ],
    ['eqeqeq'],
  ],
  ['ruff.txt', 'ruff', 0.4, ['lint.py:1:8 F401 `os` imported but unused', 'Found 8 errors.', 'fixable'], ['help:', ' | ']],
])('reads %s', (file, runner, share, keeps, drops) => {
  const text = recorded(file);
  const condensed = condenseOutput(text, ROOT);
  expect(condensed?.runners).toEqual([runner]);
  for (const kept of keeps) expect(condensed?.text).toContain(kept);
  for (const dropped of drops) expect(condensed?.text).not.toContain(dropped);
  // Control: what is dropped was there.
  for (const dropped of drops) expect(text).toContain(dropped);
  expect((condensed?.text.length ?? 0) / text.length).toBeLessThan(share);
});

it.each([['tsc.txt'], ['tsc-pretty.txt'], ['ruff-concise.txt']])('leaves %s alone, which would hardly be shorter', (file) => {
  expect(condenseOutput(recorded(file), ROOT)).toBeUndefined();
});

it('keeps what it does not know, and reads several runners in one output', () => {
  const text = `my own line\n${recorded('tsc-many.txt')}another\n${recorded('pytest-ok.txt')}`;
  const condensed = condenseOutput(text, ROOT);
  expect(condensed?.runners).toEqual(['pytest', 'tsc']);
  for (const line of ['my own line', 'another', '9 times', '41 passed']) expect(condensed?.text).toContain(line);
});

it('loses no line with a failure or a total of any recorded output', () => {
  for (const file of readdirSync(FOLDER)) {
    const text = recorded(file);
    const short = condenseOutput(text, ROOT)?.text ?? text;
    const telling = text.match(/\d+ (?:failed|passed|errors?)\b|\b[A-Z]\w+Error: .+|error(?:\[\w+\])?: .+|error TS\d+: .+/gmu) ?? [];
    // The full form is elsewhere in pytest's output, and what failed in a group in that of Node.
    for (const one of telling.filter((each) => !/\.\.\.$|subtests? failed'$/u.test(each)))
      expect(short, file).toContain(one.replaceAll(`${ROOT}/`, ''));
  }
});

it('leaves out the steps of a build but for the last one and those that look like errors', () => {
  const steps = Array.from({ length: 40 }, (_, index) => `[${index + 1}/40] compiling src/file-${index}.c\n`);
  const text = `${steps.slice(0, 20).join('')}[21/40] FAILED: src/x.o\nsrc/x.c:3:1: unknown type name\n${steps.slice(21).join('')}done\n`;
  expect(condenseOutput(text, ROOT)?.text).toBe('[21/40] FAILED: src/x.o\nsrc/x.c:3:1: unknown type name\n[40/40] compiling src/file-39.c\ndone\n');
  // A few may be the results of a program.
  expect(condenseOutput('[1/3] 17 fits\n[2/3] 4 fits\n[3/3] 9 fits\n', ROOT)).toBeUndefined();
});

it.each([
  ['a file with such words', 'const total = "Tests: 3 failed";\n'.repeat(100)],
  ['a log', '12:00 error: it failed\n12:01 1 passed\n'.repeat(100)],
  ['a line of any length', ` RUN  v3.2.7\n ✓ ok\n ✓ ok\n${'x'.repeat(100_000)}\n`],
  ['nothing', ''],
])('leaves %s alone', (_, text) => {
  expect(condenseOutput(text, ROOT)).toBeUndefined();
});

const PASSED = ' ✓ src/a.test.ts (2 tests) 3ms\n'.repeat(40);
const DOTS = `tests/test_a.py ${'.'.repeat(50)} [ 50%]\n`.repeat(20);
const GO_PASSED = Array.from({ length: 30 }, (_, index) => `=== RUN   TestOk${index}\n--- PASS: TestOk${index} (0.00s)\n`).join('');
const CARGO_PASSED = Array.from({ length: 30 }, (_, index) => `test tests::ok${index} ... ok\n`).join('');
const WARNINGS = '  1:1   warning  Unexpected console statement            no-console\n'.repeat(40);

it.each<[what: string, text: string, keeps: string[]]>([
  [
    'what follows a reason that is reported nowhere else',
    ` RUN  v3.2.7\n FAIL  x\n   × x 2ms\n   → no\nsrc/a.ts(1,1): broken\n${PASSED}`,
    ['src/a.ts(1,1): broken'],
  ],
  [
    'a listed failure that is not told in full',
    ` RUN  v3.2.7\n FAIL  src/x.test.ts > other\n   × sum > adds 2ms\n     → 3 is not 4\n${PASSED}`,
    ['sum > adds', '3 is not 4'],
  ],
  ['numbers in columns', ` RUN  v3.2.7\n1| first\n2| second\n${PASSED}`, ['1| first', '2| second']],
  [
    'what follows a summary of failures that jest did not write',
    `Summary of all failing tests\nFAIL a.test.js\n  ● sum › adds\n    Expected: 4\n  12 | a row\n${'PASS b.test.js\n'.repeat(50)}Test Suites: 1 failed, 1 total\n`,
    ['● sum › adds', 'Expected: 4', '12 | a row'],
  ],
  [
    'a failure of jest that another one does not tell',
    `FAIL b.test.js\n  ✓ works (1 ms)\n  ✕ subtracts (3 ms)\n  ✕ adds (2 ms)\n  ● sum › adds\n    Expected: 4\n${'PASS b.test.js\n'.repeat(50)}Test Suites: 1 failed, 1 total\n`,
    ['✕ subtracts', '● sum › adds'],
  ],
  [
    'a failure of a run of pytest beside one that told its own',
    `===== test session starts =====\ncollected 90 items\n\n${DOTS}tests/test_b.py .F. [ 60%]\n===== test session starts =====\n${DOTS}===== FAILURES =====\n_____ test_bad _____\nE  no\n===== short test summary info =====\nFAILED tests/test_c.py::test_bad - no\n===== 1 failed in 0.1s =====\n`,
    ['tests/test_b.py .F.', 'tests/test_c.py::test_bad'],
  ],
  [
    'failures of a run of pytest that was ended',
    `===== test session starts =====\ncollected 90 items\n\ntests/test_a.py::test_bad FAILED [  1%]\ntests/test_b.py F.. [ 50%]\n${DOTS}${'tests/test_a.py::test_ok PASSED [ 2%]\n'.repeat(9)}`,
    ['test_bad FAILED', 'tests/test_b.py F..'],
  ],
  [
    'a test at which a worker of pytest crashed, and its last words',
    `===== test session starts =====\ncreated: 2/2 workers\n\n${Array.from({ length: 60 }, (_, index) => `a.py::test_${index} \n[gw0] [ ${index % 10}%] PASSED a.py::test_${index} \n`).join('')}a.py::test_crash \n[gw0] node down: Not properly terminated\n[gw0] [ 99%] FAILED a.py::test_lost \n`,
    ['a.py::test_crash', 'node down', 'FAILED a.py::test_lost'],
  ],
  [
    'the values of a doctest',
    `===== test session starts =====\ncollected 90 items\n\n${DOTS}===== FAILURES =====\n_____ [doctest] calc.add _____\n002     >>> add(1, 2)\nExpected:\n    4\nGot:\n    3\n===== 1 failed in 0.1s =====\n`,
    ['Expected:\n    4\nGot:\n    3'],
  ],
  [
    'that no test of go ran',
    `${GO_PASSED}ok  \tx\t0.1s [no tests to run]\nok  \ty\t0.1s\tcoverage: 12.5% of statements\n`,
    ['[no tests to run]', 'coverage: 12.5%'],
  ],
  ['a verdict of another program', `${GO_PASSED}PASS\nok  \tx\t0.1s\nsmoke test:\nFAIL\n`, ['smoke test:\nFAIL']],
  [
    'what a failing test of go says before a line like that of a passed one',
    `${GO_PASSED}=== RUN   TestBad\n    a_test.go:3: got 2\n--- PASS: TestBad (0.00s)\n--- FAIL: TestBad (0.00s)\nFAIL\nFAIL\tx\t0.1s\n`,
    ['a_test.go:3: got 2', '--- FAIL: TestBad'],
  ],
  [
    'a message before a line like a place',
    `${GO_PASSED}ok  \tx\t0.1s\nerror: disk full\n\t/usr/lib/go/src/runtime/panic.go:884 +0x212\n`,
    ['error: disk full'],
  ],
  [
    'what a test of cargo writes with an indent, and a failure without output',
    `running 32 tests\n${CARGO_PASSED}test a ... FAILED\ntest b ... FAILED\n\nfailures:\n\n---- a stdout ----\nvalues:\n    left: 3\n\nfailures:\n    a\n    b\n\ntest result: FAILED. 30 passed; 2 failed; 0 ignored\nnext:\n    value\n`,
    ['    left: 3', '    b\n', 'test b ... FAILED', 'next:\n    value'],
  ],
  [
    'that no test of cargo ran',
    `warning: unused\n --> src/a.rs:1:1\n${'   Compiling a v1.0.0\n'.repeat(20)}test result: ok. 0 passed; 0 failed; 0 ignored; 5 filtered out\n`,
    ['0 passed'],
  ],
  [
    'what follows an excerpt of ruff',
    `F401 unused\n --> a.py:1:8\n  |\n${'1 | import os\n'.repeat(40)}  |\nBUILD FAILED\nsee the log\n`,
    ['a.py:1:8 F401 unused', 'BUILD FAILED', 'see the log'],
  ],
  [
    'a message before a file of eslint',
    `/bin/sh: 1: tool: not found\n\n/r/a.js\n  1:1   error  bad  rule\n/r/b.js\n${WARNINGS}  9:1   error  worse  rule\n 10:1   error  Parsing error: no\n✖ 42 problems (2 errors, 40 warnings)\n`,
    ['tool: not found', '/r/a.js', '/r/b.js\n  9:1 worse (rule)', 'Parsing error: no'],
  ],
  [
    'values in lines with numbers',
    Array.from({ length: 40 }, (_, index) => `[${index}/40] compiling a\n`).join('') + '[39/40] loss: 0.25\n[40/40] done\n',
    ['loss: 0.25'],
  ],
])('keeps %s', (_, text, keeps) => {
  const condensed = condenseOutput(text, ROOT);
  // Control: it is read.
  expect(condensed?.runners).toHaveLength(1);
  for (const kept of keeps) expect(condensed?.text).toContain(kept);
});

it('shortens the paths of the workspace only', () => {
  const text = ` RUN  v3.2.7 /app\n${PASSED}/app/src/a.ts:1\n/usr/lib/app/b.ts:2\nfile:///app/c.ts\n`;
  expect(condenseOutput(text, '/app')?.text).toBe('src/a.ts:1\n/usr/lib/app/b.ts:2\nfile:///app/c.ts\n');
});
