import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

it('names the tests above what they logged where several run at once, and leaves out what passed', () => {
  const text = readFileSync(new URL('recorded/go-parallel.txt', import.meta.url), 'utf8');
  const short = condenseOutput(text, '/home/ada/project')?.text;
  expect(short).toContain('TestTable/other/slash:\n    a_test.go:15: logging\n    a_test.go:17: got 2, want 3\n');
  expect(short).toContain('TestTable/bad_one:\n    a_test.go:15: logging\n    a_test.go:17: got 1, want 2\n');
  expect(short).toContain('TestFatal:\n    a_test.go:24: multi\n        line: x\n--- FAIL: TestFatal');
  // What they print has no name: it may be of any.
  expect(short).toContain('printing ok one\n');
  expect(short).not.toMatch(/===|: fine|later|goroutine/u);
  expect((short?.length ?? 0) / text.length).toBeLessThan(0.6);
});

it('keeps what a test logged that has not ended', () => {
  const passed = Array.from({ length: 30 }, (_, index) => `=== RUN   TestOk${index}\n--- PASS: TestOk${index} (0.00s)\n`).join('');
  const text = `${passed}=== RUN   TestA\n=== PAUSE TestA\n=== CONT  TestA\n    a_test.go:3: before\nsignal: killed\nFAIL\texample.com/a\t0.01s\n`;
  expect(condenseOutput(text, '/')?.text).toBe('TestA:\n    a_test.go:3: before\nsignal: killed\nFAIL\texample.com/a\t0.01s\n');
});

it('keeps a panic that no later line repeats', () => {
  const go = (next: string): string =>
    [
      '=== RUN   TestA',
      '=== RUN   TestA/one',
      '=== RUN   TestA/two',
      '--- FAIL: TestA (0.00s)',
      'panic: lost [recovered]',
      next,
      '',
      'goroutine 7 [running]:',
      'FAIL\texample.com/a\t0.01s',
      'FAIL',
    ].join('\n');
  expect(condenseOutput(go('testing.tRunner.func1.2(0x1)'), '/home/ada/project')?.text).toContain('panic: lost [recovered]');
  expect(condenseOutput(go('\tpanic: lost'), '/home/ada/project')?.text).not.toContain('[recovered]');
});
