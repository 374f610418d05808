import { describe, expect, it } from 'vitest';
import { TOOLS } from './fixtures/test-policy.ts';
import { parseRule } from './parse-rule.ts';
import type { Access } from './access.ts';
import { locate } from './guarded-location.ts';
import { type RuleSource, type Verdict, VERDICTS } from './rule.ts';
import { shellEffects } from './shell-effects.ts';

const context = { tools: TOOLS, home: '/home/ada', roots: ['/ws'] };
const parse = (rule: RuleSource, verdict: Verdict = 'allow') => parseRule(rule, { verdict, layer: 'user', origin: 'test' }, context);

describe('parseRule', () => {
  it.each([
    ['mcp(github)', ['mcp:github:a'], ['mcp:githubx:a', 'mcp:gitlab:a']],
    ['mcp(git*)', ['mcp:github:a', 'mcp:gitlab:a'], ['mcp:hub:a']],
    ['mcp', ['mcp:github:a', 'mcp:x:y'], []],
    ['mcp(*)', ['mcp:github:a', 'mcp:x:y'], []],
    ['mcp(*hub)', ['mcp:github:a'], ['mcp:gitlab:a']],
    ['mcp(github:delete_*)', ['mcp:github:delete_repo'], ['mcp:github:create', 'mcp:gitlab:delete_repo']],
    ['mcp__github', ['mcp:github:a'], ['mcp:githubx:a']],
    ['mcp__github__delete_repo', ['mcp:github:delete_repo'], ['mcp:github:create']],
    ['mcp__github__*', ['mcp:github:a'], ['mcp:gitlab:a']],
  ])('%s covers the tools of servers that it names, and no others', (rule, covered, others) => {
    const parsed = parse(rule, 'deny');
    if (typeof parsed === 'string') throw new Error(parsed);
    const covers = (name: string): string => parsed.covers({ kind: 'mcp', name }, name);
    expect(covered.map(covers)).toEqual(covered.map(() => 'yes'));
    expect(others.map(covers)).toEqual(others.map(() => 'no'));
  });

  it.each([
    'read',
    'write',
    'exec(*)',
    'git_*',
    'git_log',
    '*',
    'exec(git push *)',
    'exec(npm run build:*)',
    'exec(git commit -m "a; b")',
    'exec(= for f in *.ts; do cat "$f"; done)',
    'exec(python scripts/report.py)',
    'exec(timeout 60 npm test *)',
    'exec(./gradlew test)',
    'write(src/**)',
    'write(/src/**)',
    'read(.env)',
    'read(//etc/hosts)',
    'read(~/.config/app/)',
    'read(#notes)',
    'fetch(nodejs.org)',
    'fetch(*.nodejs.org)',
    'fetch(domain:nodejs.org)',
    'fetch(10.0.0.1)',
    'mcp(github:*)',
    'mcp(github:create_issue)',
    'Bash(npm test:*)',
    'Read(./.env)',
    'WebFetch(domain:nodejs.org)',
  ])('reads %s', (rule) => {
    expect(parse(rule)).toMatchObject({ text: rule });
  });

  it.each([
    ['raed(.env)', 'did you mean read'],
    ['gti_*', 'neither an action (read, write, exec, fetch, mcp) nor a tool'],
    ['mcp(a:b:c)', 'mcp(server:tool)'],
    ['', 'a rule is'],
    ['read(.env', 'a rule is'],
    ['read()', 'empty'],
    ['read(!a)', 'negated'],
    ['read(../x)', '".."'],
    ['exec(git "push)', 'not closed'],
    ['exec(a && b)', '"= "'],
    ['exec(a $X)', '"= "'],
    ['exec(= )', 'empty'],
    ['fetch(https://nodejs.org)', 'not a host'],
    ['fetch(nodejs.org:80)', 'not a host'],
    ['fetch(exa%00mple.com)', 'not a host'],
    ['git_*(x)', 'pattern'],
    ['mcp__github__a(x)', 'pattern'],
    ['WebSearch', 'no tool that corresponds to WebSearch'],
    ['Agent(Explore)', 'no tool that corresponds to Agent'],
    // What rules were called before they were about actions.
    ['read_file(.env)', 'write read(.env)'],
    ['write_file', 'write write'],
    ['edit_file(src/**)', 'write write(src/**)'],
    ['run_command(npm test)', 'write exec(npm test)'],
    ['fetch_url(domain:nodejs.org)', 'write fetch(nodejs.org)'],
    ['mcp:github:*', 'write mcp(github:*)'],
    ['mcp:*', 'write mcp'],
  ])('%s: %s', (rule, problem) => {
    expect(parse(rule)).toEqual(expect.stringContaining(problem));
  });

  it('reads a rule about a tool of your own by its name, which an action comes before', () => {
    const own = { ...context, tools: new Set(['price', 'read', 'Read']) };
    const rule = (text: string) => parseRule(text, { verdict: 'deny', layer: 'user', origin: 'test' }, own);
    expect(rule('price')).toMatchObject({ action: 'tool', tool: 'price', pattern: undefined });
    expect(rule('price(a/**)')).toMatchObject({ action: 'tool', tool: 'price', pattern: 'a/**' });
    expect(rule('read')).toMatchObject({ action: 'read' });
  });

  it.each(
    [
      'python *',
      'python3 -c *',
      'python3.11 -c *',
      '/usr/bin/python *',
      'node -e *',
      'node *',
      'bash -c *',
      'bash *',
      'sh *',
      'perl -e *',
      'awk *',
      'eval *',
      'npx *',
      'npx vitest *',
      'ssh *',
      'ssh host *',
      'docker run *',
      'docker *',
      'make *',
      'make test *',
      'sudo *',
      'sudo npm *',
      'env *',
      'timeout *',
      'timeout 5 *',
      'timeout 5 bash -c *',
      'nice python *',
      'xargs *',
      'git *',
      'git -c *',
      'git -C x *',
      'git config *',
      'npm *',
      'npm exec *',
      'npm --silent *',
      'go run *',
      'git c*',
      '* x',
      'py*',
      'find*',
      'busybox *',
      'command *',
      'vim *',
      'php -r *',
      'trap *',
      'source *',
      'cargo install *',
    ].map((pattern) => ({ pattern })),
  )('takes $pattern for one that allows any code', ({ pattern }) => {
    expect(parse(`exec(${pattern})`)).toMatchObject({ reach: 'broad', broad: expect.any(String) });
    expect(parse(`exec(${pattern})`, 'deny')).toMatchObject({ verdict: 'deny', broad: undefined });
  });

  it('checks the examples of a rule and shows the one that fails', () => {
    const good = {
      rule: 'exec(git push *)',
      match: ['git push', 'git push origin', 'true; /usr/bin/git push'],
      notMatch: ['git pushx', 'git pull'],
    };
    expect(parse(good, 'deny')).toMatchObject({ verdict: 'deny' });
    expect(parse({ ...good, match: ['git pull'] }, 'deny')).toContain('match "git pull"');
    expect(parse({ ...good, notMatch: ['git push'] }, 'deny')).toContain('notMatch "git push"');
    expect(parse({ rule: 'exec(git push *)', match: ['git push; id'] })).toContain('match "git push; id"');
    expect(parse({ rule: 'read(.env)', match: ['a/.env', '.ENV'], notMatch: ['.envx'] }, 'deny')).toMatchObject({ verdict: 'deny' });
    expect(parse({ rule: 'read(src/**)', match: ['SRC/a'] })).toContain('SRC/a');
    expect(parse({ rule: 'fetch(a.org)', match: ['https://x.a.org/y'], notMatch: ['https://a.org.evil.io', 'https://ba.org'] })).toMatchObject({
      reach: 'pattern',
    });
    expect(parse({ rule: 'exec(= a && b)', match: ['a && b'], notMatch: ['a', 'a && c'] })).toMatchObject({ reach: 'exact' });
    expect(parse({ rule: 'git_*', match: ['git_log'], notMatch: ['read_file'] })).toMatchObject({ reach: 'blanket' });
    expect(parse({ rule: 'mcp(github:*)', match: ['mcp:github:x'], notMatch: ['mcp:gitlab:x', 'mcp:githubx:x'] })).toMatchObject({
      reach: 'blanket',
    });
  });
});

describe('the kinds of a rule', () => {
  const place = { given: 'src/a', location: locate('src/a', context.roots), tree: false, exec: undefined };
  const { execs } = shellEffects('npm test');
  const accesses: readonly Access[] = [
    ...(['read', 'write', 'delete', 'possiblePath'] as const).map((kind) => ({ kind, ...place })),
    ...execs.map((exec) => ({ kind: 'exec' as const, exec })),
    { kind: 'unknown', command: 'npm test', reasons: [] },
    { kind: 'net', host: 'nodejs.org', exec: undefined },
    { kind: 'mcp', name: 'mcp:github:a' },
    { kind: 'call' },
  ];
  const RULES = [
    'read',
    'write',
    'exec',
    'fetch',
    'mcp',
    'read(src/**)',
    'write(src/**)',
    'read_file',
    'exec(npm *)',
    'exec(npm test)',
    'fetch(nodejs.org)',
  ];

  it.each([...RULES, 'mcp(github:*)', '*', 'git_*'])('of %s include all that it covers', (rule) => {
    for (const verdict of VERDICTS) {
      const parsed = parse(rule, verdict);
      if (typeof parsed === 'string') continue;
      const covered = accesses.filter((access) => ['read_file', 'git_log', 'run_command'].some((tool) => parsed.covers(access, tool) !== 'no'));
      expect(covered).not.toEqual([]);
      expect(covered.filter(({ kind }) => parsed.kinds?.has(kind) === false)).toEqual([]);
    }
  });
});
