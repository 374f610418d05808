import { expect, it } from 'vitest';
import { askedFrom } from './asked-from.ts';

it.each([
  [{}, 'synapse run'],
  [{ SYNAPSE_BRANCH: 'fix' }, 'synapse run, branch fix'],
  [{ SYNAPSE_BRANCH: 'attempt-ab-2', SYNAPSE_ATTEMPT: 'ab12:2' }, 'synapse run, attempt 2, branch attempt-ab-2'],
  [{ SYNAPSE_BRANCH: 'attempt-ab-2', SYNAPSE_ATTEMPT: 'ab12:2:check' }, 'synapse run, attempt 2, branch attempt-ab-2'],
  [{ SYNAPSE_ATTEMPT: 'something else' }, 'synapse run'],
])('a question names its branch and attempt: %j', (environment, expected) => {
  expect(askedFrom('synapse run', environment)).toBe(expected);
});
