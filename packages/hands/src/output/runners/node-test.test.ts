import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

const ROOT = '/home/ada/project';

it('keeps a result of TAP that has other fields, and a failure that is not told below', () => {
  const tap = [
    'TAP version 13',
    'ok 1 - a',
    '  ---',
    "  type: 'test'",
    '  Error: from a program',
    '  ...',
    'ok 2 - b',
    '  ---',
    '  duration_ms: 1.5',
    '  ...',
  ];
  const spec = [
    '▶ group',
    '  ✔ a (1.5ms)',
    '  ✖ b (0.5ms)',
    '✖ group (2.5ms)',
    ...Array.from({ length: 9 }, (_, index) => `✔ c${index} (1ms)`),
    'ℹ tests 11',
    'ℹ fail 1',
  ];
  expect(condenseOutput([...tap, ...tap.slice(6), ...tap.slice(6), '# tests 4', '# duration_ms 3.5', ''].join('\n'), ROOT)?.text).toBe(
    "ok 1 - a\n  ---\n  type: 'test'\n  Error: from a program\n  ...\ntests 4\n",
  );
  expect(condenseOutput(spec.join('\n'), ROOT)?.text).toBe('  ✖ b (0.5ms)\n✖ group (2.5ms)\ntests 11, fail 1\n');
});
