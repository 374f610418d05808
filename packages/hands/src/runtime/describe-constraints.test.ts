import { expect, it } from 'vitest';
import { describeConstraints } from './describe-constraints.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FACTS = { mode: 'ask', canAsk: true, network: 'off', sandbox: 'works', copies: true, inRepository: false } as const;

it.each([
  [{}, /no network/u, /not sandboxed|No person/u],
  [{ network: 'on' as const }, /have network access/u, /no network/u],
  [{ network: { domains: ['example.com'] } }, /these hosts only: example\.com/u, /no network/u],
  [{ canAsk: false }, /No person can be asked/u, /not sandboxed/u],
  [{ sandbox: 'given up' as const }, /not sandboxed/u, /no network|copy/u],
  [{ sandbox: 'missing' as const }, /No sandbox works/u, /no network|copy/u],
  [{ copies: false }, /no network/u, /copy/u],
  [{ mode: 'read-only' as const }, /Read-only/u, /Reading runs|folder of a git/u],
  [{ inRepository: true }, /folder of a git repository\. .*commits/u, /not sandboxed/u],
  [{ worktreeOf: '/home/ada/main' }, /linked worktree\. .*commits.* need \/home\/ada\/main/u, /folder of a git/u],
  [{ inRepository: true, sandbox: 'given up' as const }, /not sandboxed/u, /folder of a git/u],
])('says what holds and nothing else: %o', (facts, holds, not) => {
  const text = describeConstraints({ ...FACTS, ...facts }).join('\n');
  expect(text).toMatch(holds);
  expect(text).not.toMatch(not);
});

it('describes the open hands', async () => {
  await using place = await temporaryHands({}, { network: { domains: ['example.com'] }, sandbox: 'required', policy: { mode: 'auto-edit' } });
  const text = place.hands.constraints().join('\n');
  expect(text).toContain('example.com');
  expect(text).toContain('edits of files run at once');
});
