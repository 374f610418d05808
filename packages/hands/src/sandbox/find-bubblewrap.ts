import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemProgram } from '../launch/system-program.ts';

const execute = promisify(execFile);

/** The PATH for scripts that start a sandbox: that of the command may name folders of the workspace. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin';
/** The first version that does not create mount targets through links (GHSA-pxhw-h44j-8pfx). */
const FIXED_VERSION = [0, 12] as const;
/** The first version with `--disable-userns`. */
const OLDEST_VERSION = [0, 8] as const;

/** The `bwrap` of this machine. */
export interface Bubblewrap {
  readonly program: string;
  /** For example `0.8.0`. */
  readonly version: string;
  /** Whether it follows links in mount targets (CVE-2026-87766). Backports cannot be detected, so they count as vulnerable. */
  readonly followsLinks: boolean;
  readonly usable: boolean;
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

/** Parses the output of `bwrap --version`; undefined if unknown. */
export function readBubblewrap(program: string, output: string): Bubblewrap | undefined {
  const version = /^bubblewrap (?<version>\d+(?:\.\d+)+)/u.exec(output)?.groups?.['version'];
  if (version === undefined) return undefined;
  return { program, version, followsLinks: !atLeast(version, FIXED_VERSION), usable: atLeast(version, OLDEST_VERSION) };
}

/** Identifies a program as it is now: an update gives another one. */
export function programState(program: string): string {
  const stat = statSync(program, { bigint: true, throwIfNoEntry: false });
  return [program, stat?.dev, stat?.ino, stat?.size, stat?.ctimeNs].join(' ');
}

/** What each program said about itself: a server opens many sandboxes. */
const found = new Map<string, Bubblewrap>();

/** Finds `bwrap` and its version. */
export async function findBubblewrap(program = systemProgram('bwrap')): Promise<Bubblewrap | undefined> {
  if (process.platform !== 'linux' || program === undefined) return undefined;
  try {
    const state = programState(program);
    const known = found.get(state);
    if (known !== undefined) return known;
    const { stdout } = await execute(program, ['--version'], { timeout: 5_000 });
    const bubblewrap = readBubblewrap(program, stdout);
    if (bubblewrap !== undefined) found.set(state, bubblewrap);
    return bubblewrap;
  } catch {
    // A `bwrap` that cannot run counts as missing.
    return undefined;
  }
}
