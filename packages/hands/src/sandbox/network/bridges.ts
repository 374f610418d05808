import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Argv } from '../../launch/launch-steps.ts';
import { PROGRAMS as LAUNCH_PROGRAMS } from '../../launch/programs.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { systemProgram } from '../../launch/system-program.ts';
import { BRIDGE_FOLDER } from './bridge-port.ts';
import { PROGRAMS } from './programs.ts';

/** What forwards a port on the loopback of a sandbox to the proxy. */
interface Bridge {
  readonly mounts: readonly Mount[];
  /** What its arguments follow: the socket of the proxy, the port, whether others share it, variables to add, and the command. */
  readonly words: Argv;
}

/** A path that each sandbox shows. perl starts in a tenth of the time of Node. */
const SYSTEM = /^\/(?:usr\/)?bin\//u;
const perl = (): string | undefined => {
  const found = systemProgram('perl');
  return found !== undefined && SYSTEM.test(found) ? found : undefined;
};

/** Other versions of perl can be the same file. */
const deniesPerl = (programs: readonly string[]): boolean => programs.some((program) => basename(program).startsWith('perl'));
const deniesNode = (programs: readonly string[]): boolean =>
  programs.some((program) => ['node', 'nodejs', basename(process.execPath)].includes(basename(program)));

/**
 * Whether rules deny all programs that can be the bridge: a command could start it again from the process of the bridge, whatever is
 * mounted over its file.
 */
export const isBridgeDenied = (programs: readonly string[] = []): boolean => deniesNode(programs) && (perl() === undefined || deniesPerl(programs));

/** The bridge beside programs that rules deny. */
export function bridgeBeside(denied: readonly string[] = []): Bridge {
  const program = perl();
  if (program === undefined || deniesPerl(denied)) return bridgeOfNode();
  return { mounts: [], words: ['/bin/sh', '-c', LAUNCH_PROGRAMS['quiet-perl.sh'], 'sh', program, '-e', PROGRAMS['bridge.pl']] };
}

function bridgeOfNode(): Bridge {
  // The TypeScript source in development, otherwise the built file.
  const isSource = import.meta.url.endsWith('.ts');
  const source = fileURLToPath(new URL(isSource ? 'proxy-bridge.ts' : 'proxy-bridge.js', import.meta.url));
  const path = `${BRIDGE_FOLDER}/${isSource ? 'bridge.mts' : 'bridge.mjs'}`;
  return {
    mounts: [
      { kind: 'read-only', path, source },
      // The folder may be in the hidden home folder.
      { kind: 'read-only', path: `${BRIDGE_FOLDER}/node`, source: process.execPath },
    ],
    words: [`${BRIDGE_FOLDER}/node`, path],
  };
}
