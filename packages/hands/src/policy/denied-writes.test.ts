import { describe, expect, it } from 'vitest';
import { deniedPrograms, deniedWrites, deniesBelow } from './denied-writes.ts';
import { testPolicy } from './fixtures/test-policy.ts';

const denied = (rules: readonly string[], path: string): boolean | undefined => deniedWrites(testPolicy({ deny: rules }))?.(path);

describe('what commands may not write', () => {
  it.each([
    ['write(locked/**)', 'locked/a', true],
    ['write(locked/**)', 'open/a', false],
    ['write', 'a', true],
    ['*', 'a', true],
    ['write(//ws/locked/**)', 'locked/a', true],
  ])('%s of %s: %s', (rule, path, expected) => {
    expect(denied([rule], path)).toBe(expected);
    expect(denied([rule, 'write(another)'], path)).toBe(expected);
  });

  it.each([[[]], [['read(locked/**)']], [['exec(rm *)']], [['git_log']]])('nothing is denied by %j', (rules) => {
    expect(deniedWrites(testPolicy({ deny: rules, ask: ['write(x)'] }))).toBeUndefined();
  });

  it('leaves to the sandbox what Synapse itself denies', () => {
    expect(denied(['write(x)'], '.synapse/config.json')).toBe(false);
  });
});

it.each([
  [
    ['exec(curl *)', 'exec(curl *)', 'exec(/opt/x *)'],
    ['curl', '/opt/x'],
  ],
  [['Bash(wget:*)'], ['wget']],
  // Only some arguments, and several programs.
  [['exec(git push *)', 'exec(curl)', 'exec(npm -* *)', 'exec(kube* *)', 'exec(*)', 'exec', 'exec(= curl x)', 'write(a)'], []],
  // The sandbox starts commands with a shell.
  [['exec(bash *)', 'exec(sh *)'], []],
])('the programs that %j deny as a whole', (rules, expected) => {
  expect(deniedPrograms(testPolicy({ deny: rules, ask: ['exec(make *)'], allow: ['exec(ls *)'] }))).toEqual(expected);
});

describe('what is denied by its place', () => {
  it.each([
    ['read(secrets/**)', 'secrets', true],
    ['write(locked/**)', 'locked', true],
    ['write(a/b/c)', 'a', true],
    ['read(secrets/**)', 'open', false],
    ['read(.env)', 'a', false],
    ['exec(rm *)', 'a', false],
  ])('%s below %s: %s', (rule, path, expected) => {
    for (const settings of [{ deny: [rule] }, { ask: [rule] }, { deny: ['read(x/y)', rule] }])
      expect(deniesBelow(testPolicy(settings))(path)).toBe(expected);
  });

  it('is nothing of what Synapse itself denies', () => {
    expect(deniesBelow(testPolicy({}, { neverWritable: ['/ws/state/x'] }))('state')).toBe(false);
  });
});
