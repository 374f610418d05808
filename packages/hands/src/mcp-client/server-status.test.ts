import { expect, it } from 'vitest';
import { readGivenServers } from './config/read-server.ts';
import { statusOf } from './server-status.ts';

const configs = readGivenServers({ tools: { command: 'node' } }, { environment: {}, workspace: '/ws', home: '/home/ada' });

it.each([
  [undefined, 'name state target origin tools pendingReview problems'],
  [{ state: 'disabled', reason: 'off', hint: 'Turn it on' }, 'name state reason target origin tools pendingReview problems'],
  [{ state: 'unapproved', reason: 'new', hint: 'Approve it' }, 'name state reason target origin wants tools pendingReview problems'],
] as const)('a status is printed in the order in which a person reads it: %o', (refusal, fields) => {
  const shown = configs.map((config) => Object.keys(statusOf({ config, server: undefined, refusal }, false)).join(' '));
  expect(shown).toEqual([fields]);
});
