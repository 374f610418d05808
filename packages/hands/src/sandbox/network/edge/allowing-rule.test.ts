import { expect, it } from 'vitest';
import type { AskedRequest } from '../asked-request.ts';
import { parseOpened } from './request-rule.ts';
import { allowingRule } from './allowing-rule.ts';
import { CommandEdge } from './command-edge.ts';

const source = { exist: () => false, secrets: async () => [], opensLocal: () => false, denied: () => [] };

/** Whether a command may send a request if these rules open its network. */
async function isSent(rules: readonly string[], request: AskedRequest): Promise<boolean> {
  const opened = rules.map(parseOpened);
  const [hosts, parts] = [opened.filter((one) => typeof one === 'string'), opened.filter((one) => typeof one !== 'string')];
  return (await CommandEdge.open({ hosts, rules: parts }, source))?.refusal(request) === undefined;
}

it.each([
  ['GET', '/repos/a', 'api.example.com:8443 GET /repos/a'],
  ['get', '/repos/a', 'api.example.com:8443 * /repos/a'],
  ['GET', '/repos/a%20b?c=1', 'api.example.com:8443 GET /**'],
  // Servers may read these in several ways, so no rule about paths covers them.
  ['GET', '/repos//a', 'api.example.com:8443'],
  ['GET', '/repos/%2e%2e/a', 'api.example.com:8443'],
  ['GET', '/repos/.../a', 'api.example.com:8443'],
  ['DELETE', '/repos/a;x', 'api.example.com:8443'],
  ['GET', '/repos/a%25b', 'api.example.com:8443'],
])('the rule that is named for %s %s allows it', async (method, path, rule) => {
  const request = { scheme: 'https', host: 'api.example.com', port: 8443, method, path } as const;
  expect(allowingRule(request)).toBe(rule);
  const other = 'api.example.com:8443 PUT /other';
  expect([await isSent([other], request), await isSent([other, rule], request)]).toEqual([false, true]);
});
