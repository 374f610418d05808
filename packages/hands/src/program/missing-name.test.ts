import { describe, expect, it } from 'vitest';
import { insteadOfImport, missingName } from './missing-name.ts';

const missing = (name: string): string | undefined => missingName('ReferenceError', `'${name}' is not defined`);

describe('a name that a program does not have', () => {
  it.each([
    ['require', 'nothing of Node.js'],
    ['require', 'hands.read_file'],
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

describe('a module that a program cannot import', () => {
  it.each([
    ['fs', 'hands.read_file'],
    ['node:fs/promises', 'hands.read_file'],
    ['node:child_process', 'hands.run_command'],
    ['https', 'hands.fetch_url'],
    ['lodash', 'hands.run_command with node'],
  ])('%s: what to use instead', (module, says) => {
    expect(missingName('ReferenceError', `could not load module '${module}'`)).toContain(says);
    expect(insteadOfImport(`const a = 1;\nimport { x } from '${module}';`)).toContain(says);
    expect(insteadOfImport(`import "${module}"`)).toContain(says);
  });

  it('is none where nothing is imported', () => expect(insteadOfImport("export const a = 'fs';")).toBeUndefined());
});
