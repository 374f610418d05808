import { type Trial } from '@synapse/hands';
import { describeTrial, type DescribedTrial } from '@synapse/hands/internal';
import { describe, expect, it } from 'vitest';
import { effectScreen } from './effect-screen.ts';
import { parseTrialAnswer } from './parse-answer.ts';

type Lines = DescribedTrial['changes'];
const many = (count: number, text = 'x'): Lines => Array.from({ length: count }, (_, index) => ({ kind: 'plain', text: `${text} ${index}` }));
const described = (parts: Partial<DescribedTrial>): DescribedTrial => ({
  meaning: [],
  changes: many(1),
  output: [],
  notes: [],
  completion: 'ok',
  blocked: undefined,
  ...parts,
});

describe('what a command changed, on a screen', () => {
  it.each<[string, boolean, Partial<DescribedTrial>]>([
    ['many changes', true, { changes: many(500) }],
    ['a long line', true, { changes: [{ kind: 'added', text: 'x'.repeat(20_000) }] }],
    // A yes makes the changes, which are all there.
    ['much output', false, { output: many(500) }],
    ['changes that fill the screen, and output', false, { changes: many(10), output: many(1) }],
    ['many notes', true, { notes: Array.from({ length: 500 }, (_, index) => `left out ${index}`) }],
    ['all of it', true, { changes: many(99), output: many(99), notes: Array.from({ length: 99 }, () => 'y'.repeat(200)), blocked: 'z'.repeat(100) }],
  ])('keeps %s on the screen; what has to be read is missing: %s', (name, mustRead, parts) => {
    for (const rows of name.includes('fill') ? [18] : [24, 40]) {
      const { lines, cut, cutRules, footer } = effectScreen(described(parts), { columns: 80, rows });
      expect(lines.length).toBeLessThan(rows);
      expect([cut, cutRules]).toEqual([mustRead, mustRead]);
      expect(lines.some(({ text }) => text.includes('lines are not shown'))).toBe(true);
      expect(lines.slice(-footer.length)).toEqual(footer);
      for (const { text } of lines) expect(text.length).toBeLessThan(80);
    }
  });

  it('wants all of it read on a screen that is too small for any', () => {
    expect(effectScreen(described({ output: many(50) }), { columns: 80, rows: 8 }).cut).toBe(true);
  });

  it('shows a small one whole, and says that there was no network', () => {
    const { lines, cut } = effectScreen(described({ output: many(2, 'said') }), { columns: 80, rows: 24 });
    expect(cut).toBe(false);
    const text = lines.map((line) => line.text).join('\n');
    for (const part of ['without network and succeeded', 'Nothing in the workspace has changed', '  x 0', '  said 1', 'y  yes'])
      expect(text).toContain(part);
  });

  it('offers no yes to what cannot be applied', () => {
    const text = effectScreen(described({ blocked: 'a.txt is too much' }), { columns: 80, rows: 24 })
      .lines.map((line) => line.text)
      .join('\n');
    expect(text).toContain('It cannot be applied: a.txt is too much.');
    expect(text).not.toContain('y  yes');
  });
});

it('shows what cannot be seen', () => {
  const trial: Trial = {
    fingerprint: 'f',
    output: '\u001b[2Jhi\u202e\n',
    completion: 'ok',
    effect: {
      changes: [{ kind: 'created', path: 'a\u200bb', diff: '--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+\u001b[31mred\n' }],
      more: 3,
      omitted: [{ path: 'p\u0007', reason: 'a pipe' }],
      cautions: [],
    },
  };
  const { changes, output, notes } = describeTrial(trial);
  expect(JSON.stringify({ changes, output, notes })).not.toMatch(/[\u202e\u200b]|\\u001b|\\u0007/u);
  expect(changes.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'plain: create a<U+200B>b',
    'plain:   @@ -0,0 +1,1 @@',
    'added:   +<U+001B>[31mred',
  ]);
  expect(notes).toEqual(['and 3 more changes', 'left out: p<U+0007> (a pipe)']);
});

it.each([
  ['y', 'apply'],
  [' YES ', 'apply'],
  ['n', 'deny'],
  ['b', 'back'],
  ['v', 'view'],
  ['', undefined],
  ['t', undefined],
  ['constructor', undefined],
])('reads %j', (text, answer) => {
  expect(parseTrialAnswer(text)).toBe(answer);
});
