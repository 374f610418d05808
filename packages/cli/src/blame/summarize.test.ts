import type { BlamedLine } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { summarize } from './summarize.ts';

const line = (facts: Partial<BlamedLine>): BlamedLine => ({ line: 1, text: '', by: 'hands', ...facts });

it('counts lines by writer, by session and by model', () => {
  const lines = [
    line({ session: 'a', call: '1' }),
    line({ session: 'a', call: '2' }),
    line({ session: 'b', call: '3' }),
    line({ call: '4' }),
    line({ by: 'person-or-other' }),
    line({ by: 'unknown' }),
    line({ by: 'before' }),
  ];
  expect(summarize(lines, (session) => (session === 'a' ? 'openai/gpt' : undefined))).toEqual({
    lines: 7,
    by: { hands: 4, 'person-or-other': 1, before: 1, unknown: 1 },
    agents: [
      { session: 'a', model: 'openai/gpt', lines: 2, calls: 2 },
      { session: 'b', lines: 1, calls: 1 },
      { session: null, lines: 1, calls: 1 },
    ],
    models: [
      { model: 'openai/gpt', lines: 2 },
      { model: null, lines: 2 },
    ],
  });
});
