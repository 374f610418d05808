import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { modeTable } from './mode-table.ts';
import { MODES } from './modes.ts';

it('is the one in the documentation', async () => {
  const guide = await readFile(new URL('../../../../docs/permissions.md', import.meta.url), 'utf8');
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  const lines = guide.split('\n');
  const start = lines.findIndex((line) => line.startsWith('| What'));
  const rows = lines.slice(start).slice(
    0,
    lines.slice(start).findIndex((line) => !line.startsWith('|')),
  );
  expect(cells(rows[0] ?? '')).toEqual(['What', ...MODES]);
  expect(rows.slice(2).map(cells)).toEqual(modeTable().map(({ calls, answers }) => [calls, ...MODES.map((mode) => answers[mode])]));
});

it('never gets stricter from mode to mode', () => {
  const order = ['refused', 'asks', 'asks about the changes', 'runs'];
  for (const { calls, answers } of modeTable()) {
    const ranks = MODES.map((mode) => order.indexOf(answers[mode]));
    expect(ranks, calls).toEqual(ranks.toSorted((a, b) => a - b));
  }
});
