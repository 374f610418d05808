import { describe, expect, it } from 'vitest';
import { missingName } from './missing-name.ts';

const missing = (name: string): string | undefined => missingName('ReferenceError', `'${name}' is not defined`);

describe('a name that a program does not have', () => {
  it.each([
    ['require', 'nothing of Node.js'],
    ['process', 'nothing of Node.js'],
    ['fs', 'hands.read_file'],
    ['Buffer', 'hands.read_file'],
    ['execSync', 'hands.run_command'],
    ['fetch', 'hands.fetch_url'],
    ['setTimeout', 'sleep 1'],
    ['print', 'console.log'],
    ['tools', 'await hands.read_file'],
    ['read_file', 'await hands.read_file(…)'],
  ])('%s: what to use instead', (name, says) => expect(missing(name)).toContain(says));

  it.each(['x', 'result', 'MyClass'])('%s is one of the program', (name) => expect(missing(name)).toBeUndefined());

  it('is no other error', () => {
    expect(missingName('TypeError', "'fs' is not defined")).toBeUndefined();
    expect(missingName('ReferenceError', 'fs')).toBeUndefined();
  });
});
