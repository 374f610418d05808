import { expect, it } from 'vitest';
import { FilterStore } from './filter-store.ts';
import { GramFilters } from './gram-filter.ts';
import { requiredGrams } from './required-text.ts';

const SEED = Number(process.env['SEED'] ?? 1 + (process.pid % 10_000));
const RUNS = Number(process.env['RUNS'] ?? 2_000);
const LETTERS = ['a', 'b', 'k', 's', 'A', 'K', '(', '.', '|', ' ', 'ö', 'ß', '\u212A', 'é', '\n', '[', '1'] as const;
const OPERATORS = [
  '?',
  '*',
  '+',
  '+?',
  '{1,2}',
  '{0,1}',
  '.',
  '.*',
  '|',
  String.raw`\b`,
  String.raw`\w`,
  '[ab]',
  '[^k]',
  '(ab)?',
  '(?:a|kk)',
  '(b|ss)+',
  '^',
  '$',
  '',
] as const;

/** Random choices that a seed repeats (Park–Miller). */
function chooser(seed: number): (end: number) => number {
  let state = seed;
  return (end) => (state = (state * 48_271) % 2_147_483_647) % end;
}

const escaped = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$]/gu, String.raw`\$&`);

it(`never leaves out a text with a line that matches (SEED=${SEED} RUNS=${RUNS})`, () => {
  const below = chooser(SEED);
  const filters = new GramFilters();
  const store = new FilterStore(4 * 1024 * 1024);
  const wrong: unknown[] = [];
  let decided = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const content = Array.from({ length: 60 + below(60) }, () => LETTERS[below(LETTERS.length)]).join('');
    const lines = content.split('\n');
    const from = (): string => {
      const line = lines[below(lines.length)] ?? '';
      const at = below(Math.max(1, line.length));
      return line.slice(at, at + 3 + below(8));
    };
    const parts = Array.from({ length: 1 + below(3) }, () => `${escaped(from())}${OPERATORS[below(OPERATORS.length)] ?? ''}`);
    const pattern = parts.join('');
    const ignoresCase = below(2) === 0;
    const required = requiredGrams({ pattern, literal: false, case: ignoresCase ? 'insensitive' : 'sensitive' });
    if (required === undefined) continue;
    let expression: RegExp;
    try {
      expression = new RegExp(pattern, ignoresCase ? 'iu' : 'u');
    } catch {
      // What ripgrep would refuse as well is left to it in any case.
      continue;
    }
    filters.add(Buffer.from(content));
    const filter = filters.end(3 + below(6));
    if (filter === undefined || !store.add(run, filter)) throw new Error('no filter');
    let mayMatch = false;
    store.find(required, (id) => (mayMatch = id === run));
    store.remove(run);
    const matches = lines.some((line) => expression.test(line));
    if (matches) decided += 1;
    if (matches && !mayMatch) wrong.push({ pattern, ignoresCase, content });
  }
  expect(wrong).toEqual([]);
  expect(decided).toBeGreaterThan(RUNS / 20);
});
