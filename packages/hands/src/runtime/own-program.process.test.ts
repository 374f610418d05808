import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownProgram } from './own-program.ts';

const SCRIPT = `import { compiledCode } from ${JSON.stringify(import.meta.resolve('./own-program.ts'))}; console.log(JSON.stringify(compiledCode()));`;

/** What a process gives to the programs that it starts. */
function given(environment: NodeJS.ProcessEnv): unknown {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const words = ['--conditions=synapse-source', '--input-type=module', '-e', SCRIPT];
  return JSON.parse(execFileSync(process.execPath, words, { env: { ...env, ...environment }, encoding: 'utf8' }));
}

it('gives a program the folder of compiled code that this process uses, and none where it uses none', () => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'synapse-compiled-'));
  try {
    expect(given({ NODE_COMPILE_CACHE: folder })).toEqual({ NODE_COMPILE_CACHE: folder });
    expect(given({})).toEqual({});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each(['keep-job', 'serve-branch'] as const)('finds the program %s', (name) => {
  expect(existsSync(ownProgram(name).at(-1) ?? '')).toBe(true);
});
