import { expect, it } from 'vitest';
import { computedMs } from '../../testing/computing-time.ts';
import { condenseOutput } from './condense-output.ts';

const ROOT = '/home/ada/project';

it.each<[what: string, text: string]>([
  ['eslint', `✖ 1 problem (1 error, 0 warnings)\n${`  1:1 error${' '.repeat(1_900)}x y\n`.repeat(100)}`],
  ['pytest', `==== FAILURES ====\n${`${'::'.repeat(450)}${'[ '.repeat(450)}x\n${'a:: PASSED ('.repeat(150)}\n`.repeat(200)}`],
  [
    'the summary of pytest',
    `==== FAILURES ====\n${`FAILED a::b[${'] '.repeat(450)}${'[ - '.repeat(240)}\n  File "${'/lib'.repeat(450)}\n`.repeat(300)}`,
  ],
  ['jest', `Test Suites: 1\n${`${' '.repeat(1_900)}x\n${' '.repeat(900)}>${' '.repeat(900)}x\n`.repeat(200)}`],
  ['vitest', ` RUN  v3.2.7\n${`   × ${' 1'.repeat(900)}\n FAIL  ${' > '.repeat(600)}\n`.repeat(200)}`],
  ['go test', `ok  \tx\t0.1s\n${`${'('.repeat(1_900)}\n\ta.go:1\n`.repeat(200)}`],
  ['node --test', `${`${' '.repeat(600)}${'at ('.repeat(200)}${'✖ a (1ms) '.repeat(60)}\n`.repeat(200)}ℹ tests 1\n`],
  ['node --test as TAP', `${'ok 1 - a\n  ---\n'.repeat(50_000)}# duration_ms 1\n`],
  ['cargo', `running 1 test\n${`test ${' ... ok, '.repeat(200)}\n`.repeat(300)}`],
])('is fast for hostile lines of %s', (_, text) => {
  const startedAt = computedMs();
  condenseOutput(text, ROOT);
  expect(computedMs() - startedAt).toBeLessThan(3_000);
});

it('is fast for hostile lines', () => {
  const line = `${'= '.repeat(900)}\n${'a  '.repeat(600)}\n${'1:1  error  '.repeat(150)}\n`;
  const text = ` RUN  v3.2.7\n==== FAILURES ====\n✖ 1 problem (1 error, 0 warnings)\nok  \tx\t0.1s\n${line.repeat(150)}`;
  const startedAt = computedMs();
  condenseOutput(text, ROOT);
  expect(computedMs() - startedAt).toBeLessThan(3_000);
});
