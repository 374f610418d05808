import { SynapseError } from '@synapse/protocol';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';

/** The size that terminals are taken to have. */
const ROWS = 24;
const COLUMNS = 80;

/** By its name it is handed over: `script` takes a command for the shell of the user as one text, which this is not quoted for. */
const VARIABLE = 'SYNAPSE_COMMAND';
const RUN = `c=$${VARIABLE}; unset ${VARIABLE}; stty rows ${ROWS} cols ${COLUMNS}; exec /bin/sh -c "$c"`;

/** A command line and what it needs around it. */
export interface TerminalCommand {
  readonly argv: [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A shell command in a terminal of its own, which is made where the command runs: inside the sandbox, under its limits, and
 * ended with it. `script` of util-linux makes it; a package for Node would have to be outside.
 *
 * @throws SynapseError `unavailable` where there is no such program
 */
export function terminalCommand(command: string): TerminalCommand {
  const script = systemProgram('script');
  if (process.platform === 'linux' && script !== undefined) {
    return {
      // Quiet, its exit code that of the command, each output at once, and no copy of it.
      argv: [script, '-qefc', RUN, '/dev/null'],
      environment: { [VARIABLE]: command, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    };
  }
  throw new SynapseError('unavailable', 'A terminal needs the program script of util-linux, which was not found.', {
    hint: 'Install util-linux (Debian, Ubuntu: apt install bsdutils), or run the command without "pty".',
  });
}
