import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownProgram } from './own-program.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(realpathSync(tmpdir()), 'synapse-compiled-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a process gives to the programs that it starts. */
function given(environment: NodeJS.ProcessEnv): unknown {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const script = `import { compiledCode } from ${JSON.stringify(import.meta.resolve('./own-program.ts'))};
    console.log(JSON.stringify(compiledCode(${JSON.stringify(folder)})));`;
  const words = ['--conditions=synapse-source', '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(process.execPath, words, { env: { ...env, ...environment }, encoding: 'utf8' }));
}

it('gives a program the folder of compiled code that this process uses', () => {
  const used = join(folder, 'used');
  expect(given({ NODE_COMPILE_CACHE: used })).toEqual({ NODE_COMPILE_CACHE: used });
  expect(existsSync(join(folder, 'compiled'))).toBe(false);
});

it('gives it one in the state folder where this process uses none', () => {
  expect(given({})).toEqual({ NODE_COMPILE_CACHE: join(folder, 'compiled') });
  expect(statSync(join(folder, 'compiled')).mode & 0o777).toBe(0o700);
});

it.each([
  ['a state folder that others may write to', () => chmodSync(folder, 0o777)],
  [
    'a folder in it that others may write to',
    () => {
      mkdirSync(join(folder, 'compiled'));
      chmodSync(join(folder, 'compiled'), 0o770);
    },
  ],
  ['a link to nowhere', () => symlinkSync('/nowhere', join(folder, 'compiled'))],
  ['a link to a folder that others may write to', () => symlinkSync(tmpdir(), join(folder, 'compiled'))],
])('gives it none with %s', (_, prepare) => {
  prepare();
  expect(given({})).toEqual({});
});

it.each(['keep-job', 'serve-branch'] as const)('finds the program %s', (name) => {
  expect(existsSync(ownProgram(name).at(-1) ?? '')).toBe(true);
});
