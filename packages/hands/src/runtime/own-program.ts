import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SynapseError } from '@synapse/protocol';
import { isPrivateFolder } from '../state/private-folder.ts';

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

/** The folder for compiled code in the state folder; undefined where others may write, because such code is run. */
function keptCode(stateFolder: string): string | undefined {
  try {
    const folder = join(realpathSync(stateFolder), 'compiled');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return isPrivateFolder(folder) ? folder : undefined;
  } catch {
    // It only saves time.
    return undefined;
  }
}

/**
 * The variable with which a program takes compiled code, as most of its start is compiling: from where this process takes it, or from the
 * state folder. It reaches no command, as none gets the variables of Node.
 */
export function compiledCode(stateFolder: string): { readonly NODE_COMPILE_CACHE?: string } {
  const used = getCompileCacheDir();
  // Node has a folder for each of its versions there.
  const folder = used === undefined ? keptCode(stateFolder) : dirname(used);
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
