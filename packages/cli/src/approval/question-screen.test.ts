import type { DescribedRequest } from '@synapse/hands/internal';
import { describe, expect, it } from 'vitest';
import { parseAnswer } from './parse-answer.ts';
import { questionScreen, wrap } from './question-screen.ts';

const many = (count: number, text = 'x'): string[] => Array.from({ length: count }, (_, index) => `${text} ${index}`);

function described(parts: Partial<DescribedRequest> & { text?: string[] }): DescribedRequest {
  const { text = ['one'], ...rest } = parts;
  return {
    heading: 'Run (run_command)',
    body: text.map((line) => ({ kind: 'plain', text: line })),
    effects: ['runs one'],
    reason: 'it asks',
    changed: undefined,
    canTry: false,
    proposals: [],
    ...rest,
  };
}

const rule = (text: string): DescribedRequest['proposals'][number] => ({ rules: [text], covers: '-', doesNotCover: 'another' });

describe('a question on a screen', () => {
  it.each<[string, Partial<DescribedRequest> & { text?: string[] }]>([
    ['a long command', { text: ['x'.repeat(20_000)] }],
    ['many lines', { text: many(500) }],
    ['many effects', { effects: many(500) }],
    ['a long reason', { reason: 'y'.repeat(5_000) }],
    ['long rules', { proposals: [rule('z'.repeat(5_000)), rule('z'.repeat(5_000))] }],
    ['a long heading', { heading: 'h'.repeat(300) }],
    ['wide letters', { text: ['日本'.repeat(4_000)] }],
    ['all of it', { text: many(99), effects: many(99), reason: 'y'.repeat(999), proposals: [rule('z'.repeat(999))] }],
  ])('keeps %s on the screen and says that something is missing', (_, parts) => {
    for (const rows of [24, 40]) {
      const { lines, cut: cutEffects, cutRules, whole } = questionScreen(described(parts), { columns: 80, rows });
      const cut = cutEffects || cutRules;
      expect(lines.length).toBeLessThan(rows);
      if (whole.length + 6 > rows) expect(cut).toBe(true);
      if (cut) expect(lines.some(({ text }) => text.includes('lines are not shown'))).toBe(true);
      for (const { text } of [...lines, ...whole]) expect(text.length).toBeLessThan(80);
    }
  });

  it('shows a small one whole', () => {
    const { lines, cut } = questionScreen(described({ proposals: [rule('exec(one)')] }), { columns: 80, rows: 24 });
    expect(cut).toBe(false);
    expect(lines.map(({ text }) => text)).toEqual(expect.arrayContaining(['  one', '  runs one', '    exec(one)', '      still asks: another']));
  });

  it('of an ordinary command in three parts can be answered at once, rules included', () => {
    const text = ['git add -A && git commit -m "fix(cookie): a lone quote is no quoted value" && npm test'];
    const effects = ['runs git add -A', 'runs git commit -m "fix(cookie): a lone quote is no quoted value"', 'runs npm test', 'writes out.log'];
    const rules = [
      rule(`exec(= ${text[0] ?? ''})`),
      { ...rule('exec(git add *)'), rules: ['exec(git add *)', 'exec(git commit *)', 'exec(npm test *)'] },
    ];
    const screen = questionScreen(described({ text, effects, reason: 'mode "ask" asks before commands', proposals: rules, canTry: true }), {
      columns: 80,
      rows: 24,
    });
    expect(screen).toMatchObject({ cut: false, cutRules: false });
    expect(screen.lines.length).toBeLessThan(24);
  });

  it('can be answered with yes where only rules do not fit', () => {
    const screen = questionScreen(described({ proposals: [rule('z'.repeat(5_000))] }), { columns: 80, rows: 24 });
    expect(screen).toMatchObject({ cut: false, cutRules: true });
  });

  it('offers no session where there is none', () => {
    const lines = (session: boolean): string =>
      questionScreen(described({ proposals: [rule('exec(one)')] }), { columns: 80, rows: 24 }, session)
        .lines.map(({ text }) => text)
        .join('\n');
    expect(lines(true)).toContain('s  yes');
    expect(lines(false)).not.toContain('s  yes');
    expect(lines(false)).toContain('a  yes');
    expect(parseAnswer('s', { proposals: 1, canTry: false, session: false })).toBeUndefined();
  });

  it('is never whole on a screen that is too small to tell', () => {
    expect(questionScreen(described({}), { columns: 80, rows: 5 }).cut).toBe(true);
  });
});

describe('an answer', () => {
  it.each([
    ['y', 1, { choice: 'allow', scope: 'once', proposal: 0 }],
    [' YES ', 0, { choice: 'allow', scope: 'once', proposal: 0 }],
    ['a', 1, { choice: 'allow', scope: 'project', proposal: 0 }],
    ['s2', 2, { choice: 'allow', scope: 'session', proposal: 1 }],
    ['n', 2, { choice: 'deny' }],
    ['v', 0, { choice: 'view' }],
    ['', 1, undefined],
    ['a', 0, undefined],
    ['a', 2, undefined],
    ['a3', 2, undefined],
    ['a0', 2, undefined],
    ['y1', 2, undefined],
    ['yn', 1, undefined],
    ['y; n', 1, undefined],
    ['constructor', 1, undefined],
    ['t', 1, undefined],
  ])('%j of %i rules', (text, proposals, answer) => {
    expect(parseAnswer(text, { proposals, canTry: false })).toEqual(answer);
  });
});

it('breaks sentences between words, and everything else where the screen ends', () => {
  const text = '  one two three';
  expect(wrap({ text, isProse: true }, 9).map((line) => line.text)).toEqual(['  one two', '  three']);
  expect(wrap({ text, isProse: true }, 8).map((line) => line.text)).toEqual(['  one', '  two', '  three']);
  expect(wrap({ text }, 8).map((line) => line.text)).toEqual(['  one tw', '  o thre', '  e']);
  expect(wrap({ text: `a ${'x'.repeat(30)}`, isProse: true }, 25).map((line) => line.text)).toEqual([`a ${'x'.repeat(23)}`, 'x'.repeat(7)]);
});
