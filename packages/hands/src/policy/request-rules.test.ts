import { describe, expect, it } from 'vitest';
import type { CommandEnvironment } from './command-route.ts';
import { decide } from './decide.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import { hostGuard } from './host-guard.ts';

const settings = {
  allow: ['fetch(api.example.com GET /repos/**)', 'fetch(post.example.com POST /v1/**)', 'fetch(open.example.com)', 'fetch(localhost GET /docs/**)'],
  deny: ['fetch(open.example.com /admin/**)'],
};
const verdict = (resource: string, action: 'net' | 'exec' = 'net'): string =>
  decide(testPolicy(settings), { tool: action === 'net' ? 'fetch_url' : 'run_command', permissions: [{ action, resource }] }).verdict;

describe('a rule about requests', () => {
  it.each([
    ['https://api.example.com/repos/a?page=2', 'allow'],
    ['https://v2.api.example.com/repos/a', 'allow'],
    ['https://api.example.com/users/a', 'ask'],
    ['https://api.example.com/repos/../users/a', 'ask'],
    ['https://api.example.com/repos/%2e%2e/users', 'ask'],
    ['https://api.example.com/repos/..%2fusers', 'ask'],
    ['https://api.example.com/repos//a', 'ask'],
    // A page is only read.
    ['https://post.example.com/v1/a', 'ask'],
    ['https://open.example.com/', 'allow'],
    ['https://open.example.com/admin/users', 'deny'],
    ['https://open.example.com/%61dmin/users', 'deny'],
    ['https://open.example.com/x/..%2fadmin', 'deny'],
    ['https://open.example.com/administrator', 'allow'],
    ['https://evil.io/repos/a', 'ask'],
  ])('%s: %s', (url, expected) => {
    expect(verdict(url)).toBe(expected);
  });

  it('allows no command by its host, whose requests are not known before, and asks where it may deny one', () => {
    expect(verdict('curl https://api.example.com/repos/a', 'exec')).toBe('ask');
    const judge = (deny: readonly string[], machine?: CommandEnvironment): string =>
      decide(testPolicy({ mode: 'trusted', allow: ['exec', 'fetch(open.example.com)'], deny }), {
        tool: 'run_command',
        permissions: [{ action: 'exec', resource: 'curl https://open.example.com/x' }],
        ...(machine === undefined ? {} : { machine }),
      }).verdict;
    expect(judge(settings.deny)).toBe('ask');
    expect(judge([])).toBe('allow');
    // Where a proxy judges each request, it refuses just those.
    const machine = { sandbox: 'works', transacts: true, network: true, filtered: true } as const;
    expect(judge(settings.deny, machine)).toBe('allow');
    expect(judge(settings.deny, { ...machine, filtered: false })).toBe('ask');
    expect(judge(settings.deny, { ...machine, sandbox: 'missing' })).toBe('ask');
  });

  it('does not cover another path of the same host after a redirect, and opens no host of this machine as a whole', () => {
    const guard = hostGuard(
      { tool: 'fetch_url', permissions: [{ action: 'net', resource: 'https://api.example.com/repos/a' }] },
      testPolicy(settings),
    );
    expect(guard.refusal('https://api.example.com/repos/b')).toBeUndefined();
    expect(guard.refusal('https://api.example.com/users')).toBeDefined();
    expect(guard.opensLocal('localhost')).toBe(false);
  });

  it.each(['fetch(api.example.com get /a)', 'fetch(api.example.com GET a)', 'fetch(api.example.com GET /a /b)', 'fetch(http://a.com GET /a)'])(
    '%s is none',
    (rule) => {
      expect(() => testPolicy({ allow: [rule] })).toThrow();
    },
  );

  it('checks its examples', () => {
    const rule = {
      rule: 'fetch(api.example.com POST /repos/**)',
      match: ['POST api.example.com/repos/a'],
      notMatch: ['api.example.com/repos/a', 'POST api.example.com/users'],
    };
    expect(() => testPolicy({ allow: [rule] })).not.toThrow();
    expect(() => testPolicy({ allow: [{ ...rule, match: ['POST api.example.com/users'] }] })).toThrow();
  });
});
