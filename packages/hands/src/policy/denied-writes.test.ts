import { describe, expect, it } from 'vitest';
import { deniedWrites, deniesBelow } from './denied-writes.ts';
import { testPolicy } from './fixtures/test-policy.ts';

const denied = (rules: readonly string[], path: string): boolean | undefined => deniedWrites(testPolicy({ deny: rules }))?.(path);

describe('what commands may not write', () => {
  it.each([
    ['write_file(locked/**)', 'locked/a', true],
    ['write_file(locked/**)', 'open/a', false],
    ['edit_file(locked/**)', 'locked/a', true],
    ['apply_patch(locked/**)', 'locked/a', true],
    ['write_file', 'a', true],
    ['*', 'a', true],
    ['write_file(//ws/locked/**)', 'locked/a', true],
  ])('%s of %s: %s', (rule, path, expected) => {
    expect(denied([rule], path)).toBe(expected);
    expect(denied([rule, 'write_file(another)'], path)).toBe(expected);
  });

  it.each([[[]], [['read_file(locked/**)']], [['run_command(rm *)']], [['git_log']]])('nothing is denied by %j', (rules) => {
    expect(deniedWrites(testPolicy({ deny: rules, ask: ['write_file(x)'] }))).toBeUndefined();
  });

  it('leaves to the sandbox what Synapse itself denies', () => {
    expect(denied(['write_file(x)'], '.synapse/config.json')).toBe(false);
  });
});

describe('what is denied by its place', () => {
  it.each([
    ['read_file(secrets/**)', 'secrets', true],
    ['write_file(locked/**)', 'locked', true],
    ['write_file(a/b/c)', 'a', true],
    ['read_file(secrets/**)', 'open', false],
    ['read_file(.env)', 'a', false],
    ['run_command(rm *)', 'a', false],
  ])('%s below %s: %s', (rule, path, expected) => {
    for (const settings of [{ deny: [rule] }, { ask: [rule] }, { deny: ['read_file(x/y)', rule] }])
      expect(deniesBelow(testPolicy(settings))(path)).toBe(expected);
  });

  it('is nothing of what Synapse itself denies', () => {
    expect(deniesBelow(testPolicy({}, { neverWritable: ['/ws/state/x'] }))('state')).toBe(false);
  });
});
