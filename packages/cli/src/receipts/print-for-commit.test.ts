import type { NewestReceipt } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { markdownBlock } from './print-for-commit.ts';

const receipt = (command: string): NewestReceipt => ({
  call: '3f2a91c0-1',
  command,
  exit_code: 0,
  state: 'valid',
  changed: [],
  folder: '.',
  ended: '2026-01-01T00:00:00.000Z',
  duration_ms: 1_000,
});

it('shows hostile commands and names as code, on one line', () => {
  const different = ['@org/team', '![x](y)', '<!-- /synapse receipts -->', 'a`b\n# head', 'c\u202ed'];
  const block = markdownBlock({ hash: 'f'.repeat(40), different }, [receipt('grep "a|b" < x\n| y | `z`'), receipt('x'.repeat(5_000))], 'KEY');
  const lines = block.split('\n');
  expect(lines[5]).toBe('| `grep "a\\|b" < x⏎\\| y \\| \'z\'` | passed | 1.0 s | `3f2a91c0` |');
  expect(lines.find((line) => line.startsWith('These files'))).toBe(
    "These files differ from the commit: `@org/team`, `![x](y)`, `<! -- /synapse receipts -->`, `a'b⏎# head`, `c<U+202E>d`.",
  );
  expect([lines.filter((line) => line.includes('<!--')).length, lines.every((line) => line.length < 400)]).toEqual([2, true]);
});

it('stays short', () => {
  const block = markdownBlock(
    { hash: 'f'.repeat(40), different: [] },
    Array.from({ length: 2_000 }, (_, at) => receipt(`run ${at}`)),
    'KEY',
  );
  expect(block).toContain('And 1950 further commands.');
  expect(block.length).toBeLessThan(64_000);
});
