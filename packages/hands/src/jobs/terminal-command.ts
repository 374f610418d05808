import { SynapseError } from '@synapse/protocol';
import { SHELL_ARGUMENTS, type ShellName } from '../process/command-shell.ts';
import { systemProgram } from '../launch/system-program.ts';

/** The size of terminals. */
const ROWS = 24;
const COLUMNS = 80;

/** The variable that holds the command. `script` takes a command as one text for the user's shell, and this text is not quoted for it. */
const VARIABLE = 'SYNAPSE_COMMAND';
const run = (shell: ShellName): string =>
  `c=$${VARIABLE}; unset ${VARIABLE}; stty rows ${ROWS} cols ${COLUMNS}; exec ${SHELL_ARGUMENTS[shell].join(' ')} "$c"`;

/** Options of `script`: quiet, exit code of the command, immediate output, no copy of the output. */
const OPTIONS = '-qefc';

/** Whether a NUL-separated command line is that of a program that makes a terminal for Synapse. */
export function isTerminal(line: string): boolean {
  return line.startsWith(`${systemProgram('script') ?? ''}\0${OPTIONS}\0`);
}

/** A command line and its environment variables. */
export interface TerminalCommand {
  readonly argv: [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns the command line that runs a shell command in a new terminal. The terminal is created where the command runs:
 * inside the sandbox and its limits, and it ends with it. `script` of util-linux creates it; a Node package would run outside.
 *
 * @throws SynapseError `unavailable` if `script` is missing
 */
export function terminalCommand(shell: ShellName, command: string): TerminalCommand {
  const script = systemProgram('script');
  if (process.platform === 'linux' && script !== undefined) {
    return {
      argv: [script, OPTIONS, run(shell), '/dev/null'],
      environment: { [VARIABLE]: command, SHELL: '/bin/sh', TERM: 'xterm-256color' },
    };
  }
  throw new SynapseError('unavailable', 'A terminal needs the program script of util-linux, which was not found.', {
    hint: 'Install util-linux (Debian, Ubuntu: apt install bsdutils), or run the command without "pty".',
  });
}
