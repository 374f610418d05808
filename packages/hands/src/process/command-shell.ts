import { existsSync } from 'node:fs';

/** The shells that can run commands. */
export type ShellName = 'bash' | 'sh';

/** Paths of bash. Not searched on the PATH, which could be manipulated to name another one. */
const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'] as const;

let found: { readonly path: string | undefined } | undefined;

function bash(): string | undefined {
  found ??= { path: BASH.find((path) => existsSync(path)) };
  return found.path;
}

/** Returns the shell that models write for, if it is installed. */
export function usualShell(): ShellName {
  return bash() === undefined ? 'sh' : 'bash';
}

/** Returns the path of a shell and its arguments before the command. No shell reads the user's startup files. */
export function shellArguments(shell: ShellName): readonly [string, ...string[]] {
  const path = shell === 'bash' ? bash() : undefined;
  return path === undefined ? ['/bin/sh', '-c'] : [path, '--norc', '--noprofile', '-c'];
}

/** Whether a NUL-separated command line is that of a shell that runs a command for Synapse. */
export function isCommandShell(line: string): boolean {
  return (['sh', 'bash'] as const).some((shell) => line.startsWith(`${shellArguments(shell).join('\0')}\0`));
}
