import { describe, expect, it } from 'vitest';
import { TOOLS } from './fixtures/test-policy.ts';
import { parseRule } from './parse-rule.ts';
import type { RuleSource } from './rule.ts';
import type { Verdict } from './verdict.ts';

const context = { tools: TOOLS, home: '/home/ada', roots: ['/ws'] };
const parse = (rule: RuleSource, verdict: Verdict = 'allow') => parseRule(rule, { verdict, layer: 'user', origin: 'test' }, context);

describe('parseRule', () => {
  it.each([
    ['mcp:github', ['mcp:github:a'], ['mcp:githubx:a', 'mcp:gitlab:a']],
    ['mcp:git*', ['mcp:github:a', 'mcp:gitlab:a'], ['mcp:hub:a']],
    ['mcp:*', ['mcp:github:a', 'mcp:x:y'], []],
    ['mcp:*hub', ['mcp:github:a'], ['mcp:gitlab:a']],
    ['mcp:github:delete_*', ['mcp:github:delete_repo'], ['mcp:github:create', 'mcp:gitlab:delete_repo']],
  ])('%s covers the tools of servers that it names, and no others', (rule, covered, others) => {
    const parsed = parse(rule, 'deny');
    if (typeof parsed === 'string') throw new Error(parsed);
    const covers = (name: string): string => parsed.covers({ kind: 'mcp', name }, name);
    expect(covered.map(covers)).toEqual(covered.map(() => 'yes'));
    expect(others.map(covers)).toEqual(others.map(() => 'no'));
  });

  it.each([
    'read_file',
    'git_*',
    '*',
    'run_command(git push *)',
    'run_command(npm run build:*)',
    'run_command(git commit -m "a; b")',
    'run_command(= for f in *.ts; do cat "$f"; done)',
    'run_command(python scripts/report.py)',
    'run_command(timeout 60 npm test *)',
    'run_command(./gradlew test)',
    'write_file(src/**)',
    'write_file(/src/**)',
    'read_file(.env)',
    'read_file(//etc/hosts)',
    'read_file(~/.config/app/)',
    'read_file(#notes)',
    'fetch_url(domain:nodejs.org)',
    'fetch_url(domain:*.nodejs.org)',
    'fetch_url(domain:10.0.0.1)',
    'mcp:github:*',
    'mcp:github:create_issue',
  ])('reads %s', (rule) => {
    expect(parse(rule)).toMatchObject({ text: rule });
  });

  it.each([
    ['reed_file(.env)', 'did you mean read_file'],
    ['Bash(git *)', 'no tool named'],
    ['gti_*', 'no tool named'],
    ['mcp:github', undefined],
    ['mcp:a:b:c', 'mcp:server:tool'],
    ['', 'a rule is'],
    ['read_file(.env', 'a rule is'],
    ['read_file()', 'empty'],
    ['read_file(!a)', 'negated'],
    ['read_file(../x)', '".."'],
    ['run_command(git "push)', 'not closed'],
    ['run_command(a && b)', '"= "'],
    ['run_command(a $X)', '"= "'],
    ['run_command(= )', 'empty'],
    ['fetch_url(nodejs.org)', 'domain:'],
    ['fetch_url(domain:https://nodejs.org)', 'not a host'],
    ['fetch_url(domain:nodejs.org:80)', 'not a host'],
    ['fetch_url(domain:exa%00mple.com)', 'not a host'],
    ['mcp:github:*(x)', 'pattern'],
  ])('%s: %s', (rule, problem) => {
    if (problem === undefined) expect(parse(rule)).toMatchObject({ text: rule });
    else expect(parse(rule)).toEqual(expect.stringContaining(problem));
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
  )('refuses to allow $pattern, and can deny it', ({ pattern }) => {
    expect(parse(`run_command(${pattern})`)).toEqual(expect.stringMatching(/any code|any of its|named before/u));
    expect(parse(`run_command(${pattern})`, 'deny')).toMatchObject({ verdict: 'deny' });
  });

  it('checks the examples of a rule and shows the one that fails', () => {
    const good = {
      rule: 'run_command(git push *)',
      match: ['git push', 'git push origin', 'true; /usr/bin/git push'],
      notMatch: ['git pushx', 'git pull'],
    };
    expect(parse(good, 'deny')).toMatchObject({ verdict: 'deny' });
    expect(parse({ ...good, match: ['git pull'] }, 'deny')).toContain('match "git pull"');
    expect(parse({ ...good, notMatch: ['git push'] }, 'deny')).toContain('notMatch "git push"');
    expect(parse({ rule: 'run_command(git push *)', match: ['git push; id'] })).toContain('match "git push; id"');
    expect(parse({ rule: 'read_file(.env)', match: ['a/.env', '.ENV'], notMatch: ['.envx'] }, 'deny')).toMatchObject({ verdict: 'deny' });
    expect(parse({ rule: 'read_file(src/**)', match: ['SRC/a'] })).toContain('SRC/a');
    expect(
      parse({ rule: 'fetch_url(domain:a.org)', match: ['https://x.a.org/y'], notMatch: ['https://a.org.evil.io', 'https://ba.org'] }),
    ).toMatchObject({ reach: 'pattern' });
    expect(parse({ rule: 'run_command(= a && b)', match: ['a && b'], notMatch: ['a', 'a && c'] })).toMatchObject({ reach: 'exact' });
    expect(parse({ rule: 'git_*', match: ['git_log'], notMatch: ['read_file'] })).toMatchObject({ reach: 'blanket' });
    expect(parse({ rule: 'mcp:github:*', match: ['mcp:github:x'], notMatch: ['mcp:gitlab:x', 'mcp:githubx:x'] })).toMatchObject({ reach: 'blanket' });
  });
});
