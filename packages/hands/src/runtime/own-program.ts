import { existsSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SynapseError } from '@synapse/protocol';

/** Programs of this package that run in a process of their own, with the reason why one is needed. */
const PROGRAMS = {
  'keep-job': 'takes over jobs',
  'serve-branch': 'works in branches',
} as const;

/**
 * The command of a program: its TypeScript source in development, otherwise the built file.
 *
 * @throws SynapseError `unavailable` if it is missing
 */
export function ownProgram(name: keyof typeof PROGRAMS): [string, ...string[]] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`${name}.${isSource ? 'ts' : 'js'}`, import.meta.url));
  if (!existsSync(file)) {
    throw new SynapseError('unavailable', `The program that ${PROGRAMS[name]} is missing beside the code of @synapse/hands.`, {
      hint: 'A bundler left it out: keep @synapse/hands out of the bundle, as an external package.',
    });
  }
  return [process.execPath, ...(isSource ? ['--conditions=synapse-source'] : []), file];
}

/**
 * The variable with which a program takes compiled code from where this process takes it: most of its start is compiling. It reaches no
 * command, as none gets the variables of Node.
 */
export function compiledCode(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  // Node has a folder for each of its versions there.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
