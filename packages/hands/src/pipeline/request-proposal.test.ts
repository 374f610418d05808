import { expect, it } from 'vitest';
import { requestProposal } from './request-proposal.ts';

it.each([
  ['example.com * /**', 'connect to example.com', 'every request to example.com'],
  ['example.com DELETE /a', 'DELETE example.com/a', 'the same with other parameters'],
])('a person reads what the rule %s allows beside the request that waits', (rule, text, others) => {
  expect(requestProposal(rule, text)).toEqual({ kind: 'exact', rules: [`fetch(${rule})`], covers: [text, others], doesNotCover: [] });
});
