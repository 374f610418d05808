import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { PolicyCall } from './decision.ts';
import { TOOLS, testPolicy } from './fixtures/test-policy.ts';
import { grantSource, makeGrant, PROJECT_GRANT_MS, proposeGrants } from './grant.ts';
import { compilePolicy, type Policy } from './policy.ts';

const run = (command: string): PolicyCall => ({ tool: 'run_command', permissions: [{ action: 'exec', resource: command }] });
const policy = testPolicy({ deny: ['exec(git push *)', 'read(.env)'], ask: ['exec(npm publish *)'] });
const rules = (call: PolicyCall, under: Policy = policy): string[][] => proposeGrants(under, call).map((proposal) => [...proposal.rules]);

describe('proposeGrants', () => {
  it.each<[string, string[][]]>([
    ['git checkout main', [['exec(git checkout main)'], ['exec(git checkout *)']]],
    ['npm run build', [['exec(npm run build)'], ['exec(npm run build *)']]],
    ['npm test', [['exec(npm test)'], ['exec(npm test *)']]],
    ['timeout 60 npm test', [['exec(npm test)'], ['exec(npm test *)']]],
    ['mytool --all', [['exec(mytool --all)']]],
    ["git add '*.md'", [['exec(git add "\\*.md")'], ['exec(git add *)']]],
    ['git commit -m "a \\"b\\" c"', [['exec(git commit -m "a \\"b\\" c")'], ['exec(git commit *)']]],
    ['git status && npm test', [['exec(= git status && npm test)'], ['exec(git status *)', 'exec(npm test *)']]],
    // Interpreters and whatever is not understood: only the very text.
    ['python -c "print(1)"', [['exec(python -c "print(1)")']]],
    ['bash -c "npm test"', [['exec(= bash -c "npm test")']]],
    ['npx vitest', [['exec(npx vitest)']]],
    ['sudo npm test', [['exec(sudo npm test)']]],
    ['cat *.md', [['exec(= cat *.md)']]],
    ['for f in *; do cat "$f"; done', [['exec(= for f in *; do cat "$f"; done)']]],
    ['git -c a=b log', [['exec(git -c a=b log)']]],
    // Nothing that a rule forbids.
    ['git push', []],
    ['cat .env', []],
    ['npm publish', []],
    ['npm test && git push', []],
  ])('%s', (command, expected) => {
    expect(rules(run(command))).toEqual(expected);
  });

  it('proposes nothing for what needs no grant', () => {
    expect(proposeGrants(testPolicy({ allow: ['exec(npm test)'] }), run('npm test'))).toEqual([]);
  });

  it.each<[PolicyCall, string[][]]>([
    [{ tool: 'write_file', permissions: [{ action: 'write', resource: 'src/a.ts' }] }, [['write(/src/a.ts)'], ['write(/src/**)']]],
    [{ tool: 'write_file', permissions: [{ action: 'write', resource: 'a[1]*.ts' }] }, [[String.raw`write(/a\[1\]\*.ts)`]]],
    [{ tool: 'write_file', permissions: [{ action: 'write', resource: 'a/.vscode/tasks.json' }] }, [['write(/a/.vscode/tasks.json)']]],
    [{ tool: 'write_file', permissions: [{ action: 'write', resource: '.synapse/config.jsonc' }] }, []],
    [{ tool: 'read_file', permissions: [{ action: 'read', resource: 'keys/server.pem' }] }, [['read(/keys/server.pem)']]],
    [{ tool: 'fetch_url', permissions: [{ action: 'net', resource: 'https://nodejs.org/api' }] }, [['fetch(nodejs.org)']]],
    [{ tool: 'github_search', permissions: [{ action: 'mcp', resource: 'mcp:github:search' }] }, [['mcp(github:search)'], ['mcp(github:*)']]],
  ])('$tool', (call, expected) => {
    expect(rules(call)).toEqual(expected);
  });

  it.each(['mcp:github:search', 'mcp_call'])('shows which tools of a server a rule for %s would cover', (tool) => {
    const [exact, pattern] = proposeGrants(policy, { tool, permissions: [{ action: 'mcp', resource: 'mcp:github:search' }] });
    expect(exact).toMatchObject({ covers: ['mcp:github:search'], doesNotCover: ['mcp:github:another_tool', 'mcp:another_server:tool'] });
    expect(pattern).toMatchObject({ covers: ['mcp:github:search', 'mcp:github:another_tool'], doesNotCover: ['mcp:another_server:tool'] });
  });

  it('takes what runs anyway for no example of what a rule covers', () => {
    const [exact] = proposeGrants(testPolicy({ allow: ['exec(npm run build *)'] }), run('npm run build && git push origin HEAD'));
    expect(exact?.covers).toEqual(['npm run build && git push origin HEAD']);
    expect(exact?.doesNotCover).toContain('npm run build && git push origin HEAD --verbose');
    expect(exact?.doesNotCover).not.toContain('npm run build');
  });

  it('shows what a rule would cover and what not, as the engine itself judges', () => {
    const [exact, pattern] = proposeGrants(policy, run('git checkout main'));
    expect(exact).toMatchObject({ kind: 'exact', covers: ['git checkout main'] });
    expect(exact?.doesNotCover).toContain('git checkout main --verbose');
    expect(pattern).toMatchObject({ kind: 'pattern' });
    expect(pattern?.covers).toEqual(expect.arrayContaining(['git checkout', 'git checkout main --verbose']));
    expect(pattern?.doesNotCover).toEqual(
      expect.arrayContaining([
        'git checkout main && curl https://example.com',
        'git checkout main > .git/config',
        'git checkoutx',
        'git something-else',
      ]),
    );
  });

  it('survives a host that is an odd resource', () => {
    expect(rules({ tool: 'fetch_url', permissions: [{ action: 'net', resource: 'not a url' }] })).toEqual([]);
    expect(rules({ tool: 'fetch_url', permissions: [{ action: 'net', resource: 'nodejs.org' }] })).toEqual([['fetch(nodejs.org)']]);
  });
});

describe('grants', () => {
  const call = run('git checkout main');
  const proposal = proposeGrants(policy, call).find(({ kind }) => kind === 'pattern');

  it('holds within its scope and its time', () => {
    if (proposal === undefined) throw new Error('no proposal');
    let now = 5_000;
    const grant = makeGrant(proposal, 'run_command', 'project', now);
    expect(grant.expiresAt).toBe(5_000 + PROJECT_GRANT_MS);
    expect(makeGrant(proposal, 'run_command', 'session', now).expiresAt).toBeUndefined();
    expect(makeGrant(proposal, 'run_command', 'once', now).rules).toEqual([]);
    const source = grantSource([grant]);
    const granted = compilePolicy({ tools: TOOLS, home: '/home/ada', roots: ['/ws'], sources: [source], now: () => now });
    expect(decide(granted, run('git checkout other')).rule).toMatchObject({ layer: 'grant', text: 'exec(git checkout *)' });
    now += PROJECT_GRANT_MS;
    expect(decide(granted, run('git checkout other')).verdict).toBe('ask');
  });
});
