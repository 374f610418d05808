import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { TOOLS } from './fixtures/test-policy.ts';
import type { Grant, GrantProposal } from './grant.ts';
import { PolicyStore, type GrantStore } from './policy-store.ts';

const proposal = (rule: string): GrantProposal => ({ kind: 'exact', rules: [rule], covers: [], doesNotCover: [] });

/** A store as another process sees it, too. */
function memory(kept: readonly Grant[] = []): GrantStore & { kept: readonly Grant[]; loads: number } {
  let version = 0;
  return {
    kept,
    loads: 0,
    version: () => String(version),
    load() {
      this.loads += 1;
      return { grants: this.kept };
    },
    change(_, edit) {
      version += 1;
      this.kept = edit(this.kept);
      return { grants: this.kept };
    },
  };
}

function open(store?: GrantStore) {
  const clock = { now: 1_000 };
  const live = new PolicyStore({ tools: TOOLS, home: '/home/ada', roots: ['/ws'], sources: [], now: () => clock.now }, store);
  const verdict = (path: string) => decide(live.current, { tool: 'write_file', permissions: [{ action: 'write', resource: path }] }).verdict;
  return { live, clock, verdict };
}
const kept = (rule: string, rest: Partial<Grant> = {}): Grant => ({
  scope: 'project',
  tool: 'write_file',
  rules: [rule],
  grantedAt: 1,
  expiresAt: 2_000,
  ...rest,
});

it('forgets what has expired, in what it allows and in what it lists', () => {
  const { live, clock, verdict } = open(memory([kept('write(a)')]));
  expect([verdict('a'), live.grants.length]).toEqual(['allow', 1]);
  clock.now = 1_999;
  expect([verdict('a'), live.grants.length]).toEqual(['allow', 1]);
  clock.now = 2_000;
  expect([verdict('a'), live.grants.length]).toEqual(['ask', 0]);
});

it('leaves out an approval that holds what is no rule any more, and only that', () => {
  const { verdict } = open(memory([kept('gone_tool(a)', { rules: ['write(a)', 'gone_tool(a)'] }), kept('write(b)')]));
  expect([verdict('a'), verdict('b')]).toEqual(['ask', 'allow']);
});

it('keeps a session to itself and a project in the store, and reads that again only when it has changed', () => {
  const store = memory();
  const one = open(store);
  const other = open(store);
  one.live.remember(proposal('write(s)'), 'write_file', 'session');
  one.live.remember(proposal('write(p)'), 'write_file', 'project');
  one.live.remember(proposal('write(p)'), 'write_file', 'project');
  one.live.remember(proposal('write(o)'), 'write_file', 'once');
  expect(store.kept.map(({ scope, rules }) => [scope, ...rules])).toEqual([['project', 'write(p)']]);
  expect(['s', 'p', 'o'].map(one.verdict)).toEqual(['allow', 'allow', 'ask']);
  expect(one.live.grants).toHaveLength(2);
  expect(['s', 'p'].map(other.verdict)).toEqual(['ask', 'ask']);
  other.live.refresh();
  expect(['s', 'p'].map(other.verdict)).toEqual(['ask', 'allow']);
  const { loads } = store;
  other.live.refresh();
  one.live.refresh();
  expect(store.loads).toBe(loads);
});

it('takes back what was chosen, of the session and of the project, and no more', () => {
  const store = memory([kept('write(a)'), kept('write(b)')]);
  const { live, verdict } = open(store);
  for (const path of ['c', 'd']) live.remember(proposal(`write(${path})`), 'write_file', 'session');
  const chosen = new Set(['write(a)', 'write(c)']);
  expect(live.revoke(({ rules }) => rules.some((rule) => chosen.has(rule)))).toHaveLength(2);
  expect(['a', 'b', 'c', 'd'].map(verdict)).toEqual(['ask', 'allow', 'ask', 'allow']);
  expect(store.kept.map(({ rules }) => rules[0])).toEqual(['write(b)']);
});

it('keeps a project for the session where there is no store', () => {
  const { live, verdict } = open();
  live.remember(proposal('write(a)'), 'write_file', 'project');
  expect([verdict('a'), live.grants.length]).toEqual(['allow', 1]);
});

it('takes a stricter mode and gives the configured one back, but never a looser one', () => {
  const { live, verdict } = open(memory());
  expect(verdict('a')).toBe('ask');
  expect([live.limitMode('read-only'), verdict('a')]).toEqual(['read-only', 'deny']);
  // A grant compiles the policy again.
  live.remember(proposal('write(a)'), 'write_file', 'session');
  expect(verdict('a')).toBe('deny');
  expect([live.limitMode('trusted'), verdict('b')]).toEqual(['ask', 'ask']);
  expect([live.limitMode('ask'), verdict('a')]).toEqual(['ask', 'allow']);
});
