import { spawnSync } from 'node:child_process';
import { ATTRIBUTE_CALLS } from '../../launch/attribute-calls.ts';
import { PROGRAMS } from '../../launch/programs.ts';
import { systemProgram } from '../../launch/system-program.ts';
import type { Name } from '../byte-name.ts';
import type { PinnedDirectory } from '../confinement.ts';

/** Milliseconds until the program is ended. It takes a few, but for a machine that stands still. */
const MAX_MS = 60_000;
const NUL = Buffer.from([0]);

const bytesOf = (name: Name): Buffer => (typeof name === 'string' ? Buffer.from(name) : name);

/**
 * Gives a new file the access list (`setfacl`) of the one that it will replace, or none. Without it, the group of the file could do all that
 * the list allows anyone.
 *
 * @returns false if the list could not be read or set; true also where lists cannot be reached at all, without perl
 */
export function keepAccessList(folder: PinnedDirectory, from: Name, to: Name): boolean {
  const [perl, calls] = [systemProgram('perl'), ATTRIBUTE_CALLS[process.arch]];
  if (process.platform !== 'linux' || perl === undefined || calls === undefined || folder.descriptor === undefined) return true;
  const { stdout } = spawnSync(perl, ['-e', PROGRAMS['attributes.pl'], ...calls.map(String)], {
    cwd: '/',
    env: {},
    input: Buffer.concat(['start', '/proc/self/fd/3', 'acl', from, to].flatMap((field) => [bytesOf(field), NUL])),
    timeout: MAX_MS,
    stdio: ['pipe', 'pipe', 'ignore', folder.descriptor],
  });
  return String(stdout) === 'y\n';
}
