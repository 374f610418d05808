import type { GrantProposal } from '../policy/grant.ts';

/**
 * What a person may allow for longer than one command: the rule, and which other requests it allows.
 *
 * @param rule as in `fetch(…)`
 * @param text the request that waits
 */
export function requestProposal(rule: string, text: string): GrantProposal {
  const [host = '', method, path] = rule.split(' ');
  const others = method === '*' && path === '/**' ? `every request to ${host}` : 'the same with other parameters';
  return { kind: 'exact', rules: [`fetch(${rule})`], covers: [text, others], doesNotCover: [] };
}
