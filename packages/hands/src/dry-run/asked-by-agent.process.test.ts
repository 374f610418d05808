import type { Approver } from '../approval/approver.ts';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const refusing: Approver = { name: 'refusing', ask: async () => ({ verdict: 'deny', reason: 'No.' }) };

it.skipIf(findBubblewrap() === undefined).each([
  ['person', true],
  ['agent', false],
] as const)('a command that is asked about first is tried for a %s: %s', async (dryRunFor, ok) => {
  await using place = await temporaryHands({ 'a.txt': 'secret\n' }, { approver: refusing, allow: [] });
  const options = { dryRun: true, dryRunFor, asksFirst: 'all' } as const;
  const result = await place.hands.call('run_command', { command: 'cat a.txt' }, options);
  expect(result.ok).toBe(ok);
  if (!ok) expect(JSON.stringify(result)).not.toContain('secret');
});

it('what changes nothing by itself is shown to a brain', async () => {
  await using place = await temporaryHands({ 'a.txt': 'one\n' }, { approver: refusing, allow: [] });
  const result = await place.hands.call('write_file', { path: 'a.txt', content: 'two\n' }, { dryRun: true, dryRunFor: 'agent' });
  expect(result).toMatchObject({ ok: true, meta: { dryRun: { verdict: 'ask' } } });
});
