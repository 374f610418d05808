import { existsSync } from 'node:fs';

/** The shells that can run commands. */
export type ShellName = 'bash' | 'sh';

/** Paths of bash. Not searched on the PATH, which could be manipulated to name another one. */
const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'] as const;

const bash = BASH.find((path) => existsSync(path));

/** The shell that models write for, if it is installed. */
export const USUAL_SHELL: ShellName = bash === undefined ? 'sh' : 'bash';

const SH = ['/bin/sh', '-c'] as const;

/** The path of each shell and its arguments before the command. No shell reads the user's startup files. */
export const SHELL_ARGUMENTS: Readonly<Record<ShellName, readonly [string, ...string[]]>> = {
  bash: bash === undefined ? SH : [bash, '--norc', '--noprofile', '-c'],
  sh: SH,
};

/** Whether a NUL-separated command line is that of a shell that runs a command for Synapse. */
export function isCommandShell(line: string): boolean {
  return (['sh', 'bash'] as const).some((shell) => line.startsWith(`${SHELL_ARGUMENTS[shell].join('\0')}\0`));
}
