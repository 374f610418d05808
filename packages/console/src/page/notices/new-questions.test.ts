import { expect, it } from 'vitest';
import { newQuestions, tabTitle } from './new-questions.ts';

it.each([
  [0, '/home/ada/app', 'Synapse console · app'],
  [2, '/home/ada/app', '(2) Synapse console · app'],
  [1, '', '(1) Synapse console'],
])('%i questions in %j', (waiting, project, title) => {
  expect(tabTitle(waiting, project)).toBe(title);
});

it('tells each question once', () => {
  const question = { kind: 'form', id: 'a', askedAt: 1, tool: 't', project: '/w', from: 'x', server: 's', message: [], fields: [] } as const;
  const other = { ...question, id: 'b', message: [], fields: [] };
  expect(newQuestions(new Set(['a']), [{ ...question, message: [], fields: [] }, other])).toEqual([other]);
});
