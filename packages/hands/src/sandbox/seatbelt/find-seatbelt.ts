import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Argv } from '../../launch/launch-steps.ts';
import { tryRun } from '../try-run.ts';
import { MACHINE_PLACES } from './machine-places.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

/** Seatbelt, the sandbox of macOS. */
export interface Seatbelt {
  readonly program: string;
  /** Wraps a command line so that it starts under a profile, in a folder. */
  readonly wrap: (argv: Argv, profile: string, cwd: string) => Argv;
}

/** Seatbelt by the program that applies a profile. */
export const seatbeltBy = (program: string): Seatbelt => ({
  program,
  wrap: (argv, profile, cwd) => [program, '-p', profile, '/bin/sh', '-c', 'cd -- "$1" && shift && exec "$@"', 'sh', cwd, ...argv],
});

/** Seatbelt, or why it does not work here. */
export type FoundSeatbelt = Seatbelt | { readonly problem: string };

/** A part of the system: protected by it, and in no folder that a command can write. */
const PROGRAM = '/usr/bin/sandbox-exec';
/** Characters of a profile. It is an argument, and those of a process share 1 MiB (macOS, ARG_MAX) with its variables. */
export const MAX_PROFILE = 500_000;
/** Succeeds if a file can be read that the profile allows, one beside it cannot, and nothing can be written. */
const IS_CONFINED =
  'read -r a < "$1/shown/a" || exit 8; [ "$a" = shown ] || exit 8; read -r b < "$1/hidden/b" && exit 9; : > "$1/shown/c" && exit 9; exit 0';

/**
 * Finds Seatbelt, and tries it with a command.
 *
 * @param program the program that applies a profile. Default: the one of macOS, and none on other systems
 */
export async function findSeatbelt(program = process.platform === 'darwin' ? PROGRAM : undefined): Promise<FoundSeatbelt> {
  if (program === undefined) return { problem: `Seatbelt is not used on ${process.platform}` };
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return { problem: `${program}, which confines commands on macOS, is missing` };
  }
  const seatbelt = seatbeltBy(program);
  const problem = await trialProblem(seatbelt);
  return problem === undefined ? seatbelt : { problem };
}

async function trialProblem({ wrap }: Seatbelt): Promise<string | undefined> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-seatbelt-')));
  try {
    for (const name of ['shown', 'hidden']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'shown', 'a'), 'shown\n');
    writeFileSync(join(folder, 'hidden', 'b'), 'hidden\n');
    const profile = seatbeltProfile({ places: [...MACHINE_PLACES, { path: join(folder, 'shown'), level: 'read' }], network: false });
    const [command, ...args] = wrap(['/bin/sh', '-c', IS_CONFINED, 'sh', folder], profile, '/');
    const { worked, message } = await tryRun(command, args);
    if (worked) return undefined;
    return message === '' ? 'a trial of Seatbelt was not confined' : `a trial of Seatbelt failed (${message})`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
