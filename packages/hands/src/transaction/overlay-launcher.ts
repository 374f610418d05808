import type { Argv } from '../launch/launch-steps.ts';
import { PROGRAMS } from '../launch/programs.ts';
import { SYSTEM_PATH, systemProgram } from '../sandbox/find-bubblewrap.ts';

/** Wraps a command line, and sets variables that it removes again before the command runs. */
export interface Launcher {
  readonly wrap: (area: string, argv: Argv) => Argv;
  readonly environment: Readonly<Record<string, string>>;
}

/** unshare and mount by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [unshare: number, mount: number]>> = { x64: [272, 165], arm64: [97, 40] };

function withPerl(): Launcher | undefined {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (perl === undefined || calls === undefined) return undefined;
  return {
    wrap: (area, argv) => [perl, '-e', PROGRAMS['copy.pl'], ...calls.map(String), area, ...argv],
    // Without it, perl warns about a locale that is not installed.
    environment: { PERL_BADLANG: '0' },
  };
}

function withShell(): Launcher | undefined {
  const unshare = systemProgram('unshare');
  if (unshare === undefined) return undefined;
  return {
    wrap: (area, argv) => [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', PROGRAMS['copy.sh'], 'sh', area, SYSTEM_PATH, ...argv],
    environment: {},
  };
}

/** Ways to prepare a copy in new namespaces, fastest first: some systems permit this only to certain programs. */
export const launchers = (): Launcher[] => [withPerl(), withShell()].filter((launcher) => launcher !== undefined);
