import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';

/** Rules from the documentation of Claude Code, each with our equivalent. */
describe('rules of Claude Code settings', () => {
  it.each([
    ['Bash(npm run test:*)', ['npm run test', 'npm run test -- a'], ['npm run tests', 'npm run']],
    ['Bash(npm run test *)', ['npm run test', 'npm run test a b'], ['npm run test:unit']],
    ['Bash(npm run test*)', ['npm run test', 'npm run test:unit', 'npm run test a b'], ['npm run tes', 'yarn run test']],
    ['Bash(git * main)', ['git checkout main', 'git push origin main'], ['git checkout mainx', 'git main']],
    ['Bash(* --version)', ['node --version', 'cargo clippy --version'], ['node -v']],
    ['Bash(npm run build)', ['npm run build'], ['npm run build a']],
    ['Bash', ['anything', 'a | b'], []],
    ['Bash(*)', ['anything', 'a && b'], []],
  ])('%s', (rule, covered, others) => {
    const denying = testPolicy({ mode: 'trusted', deny: [rule] });
    const verdict = (command: string): string => decideCommand(denying, command, { confined: true }).verdict;
    expect(covered.map(verdict)).toEqual(covered.map(() => 'deny'));
    expect(others.map(verdict)).toEqual(others.map(() => 'allow'));
    const allowing = testPolicy({ allow: [rule] });
    const asks = (command: string): boolean => decideCommand(allowing, command, { confined: true }).verdict === 'ask';
    expect(covered.filter(asks).filter((command) => !command.startsWith('git push'))).toEqual([]);
    expect(others.filter(asks)).toEqual(others);
  });

  it('is denied as a chain, through pipes and behind wrappers', () => {
    const policy = testPolicy({ mode: 'trusted', deny: ['Bash(curl:*)'] });
    for (const command of ['curl x', 'true && curl x', 'timeout 5 curl x', '/usr/bin/curl x', 'echo $(curl x)'])
      expect(decideCommand(policy, command, { confined: true }).verdict).toBe('deny');
  });

  it.each([
    ['Read(./.env)', '.env', true],
    ['Read(./.env)', 'a/.env', false],
    ['Read(.env)', 'a/.env', true],
    ['Read(secrets/**)', 'secrets/a/b', true],
    ['Read(//etc/hosts)', '/etc/hosts', true],
    ['Read(~/.aws/**)', '/home/ada/.aws/config', true],
    ['Grep(secrets/**)', 'secrets/a', true],
    ['Read', 'any', true],
  ])('%s of %s: %s', (rule, path, denied) => {
    const policy = testPolicy({ mode: 'trusted', deny: [rule] });
    for (const tool of ['read_file', 'search_text']) {
      const { verdict } = decide(policy, { tool, permissions: [{ action: 'read', resource: path }] });
      expect(verdict === 'deny').toBe(denied);
    }
    expect(decideCommand(policy, `cat ${path}`).verdict === 'deny').toBe(denied);
  });

  it.each(['Edit(src/**)', 'Write(src/**)', 'MultiEdit(src/**)', 'NotebookEdit(src/**)'])('%s is about all that changes files', (rule) => {
    const policy = testPolicy({ mode: 'trusted', deny: [rule] });
    expect(decide(policy, { tool: 'any', permissions: [{ action: 'write', resource: 'src/a' }] }).verdict).toBe('deny');
    expect(decideCommand(policy, 'rm src/a').verdict).toBe('deny');
    expect(decide(policy, { tool: 'any', permissions: [{ action: 'read', resource: 'src/a' }] }).verdict).toBe('allow');
  });

  it.each([
    ['WebFetch(domain:nodejs.org)', 'https://nodejs.org/x', true],
    ['WebFetch(domain:nodejs.org)', 'https://evil.io/', false],
    ['WebFetch(domain:*.nodejs.org)', 'https://docs.nodejs.org/', true],
    ['WebFetch', 'https://evil.io/', true],
  ])('%s allows %s: %s', (rule, resource, allowed) => {
    expect(decide(testPolicy({ allow: [rule] }), { tool: 'fetch_url', permissions: [{ action: 'net', resource }] }).verdict).toBe(
      allowed ? 'allow' : 'ask',
    );
  });
});
