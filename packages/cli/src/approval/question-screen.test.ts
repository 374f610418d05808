import type { DescribedRequest } from '@synapse/hands';
import { describe, expect, it } from 'vitest';
import { parseAnswer } from './parse-answer.ts';
import { questionScreen } from './question-screen.ts';

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
      const { lines, cut, whole } = questionScreen(described(parts), { columns: 80, rows });
      expect(lines.length).toBeLessThan(rows);
      if (whole.length + 6 > rows) expect(cut).toBe(true);
      if (cut) expect(lines.some(({ text }) => text.includes('lines are not shown'))).toBe(true);
      for (const { text } of [...lines, ...whole]) expect(text.length).toBeLessThan(80);
    }
  });

  it('shows a small one whole', () => {
    const { lines, cut } = questionScreen(described({ proposals: [rule('run_command(one)')] }), { columns: 80, rows: 24 });
    expect(cut).toBe(false);
    expect(lines.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['  one', '  runs one', '    run_command(one)', '      still asks: another']),
    );
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
