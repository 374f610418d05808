import { homedir } from 'node:os';
import { join } from 'node:path';
import { hash } from 'node:crypto';

/**
 * Returns Synapse's folder in a base folder of the XDG specification.
 * @param variable the environment variable with the base folder
 * @param fallback the base folder relative to the home folder, used if the variable is unset or relative
 */
export function xdgFolder(variable: 'XDG_STATE_HOME' | 'XDG_CONFIG_HOME', fallback: readonly string[], environment: NodeJS.ProcessEnv): string {
  const configured = environment[variable];
  // The specification requires relative values to be ignored.
  const base = configured?.startsWith('/') === true ? configured : join(homedir(), ...fallback);
  return join(base, 'synapse');
}

/** Returns the default folder for audit, journal, locks and stored outputs: `$XDG_STATE_HOME/synapse`, else `~/.local/state/synapse`. */
export function defaultStateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return xdgFolder('XDG_STATE_HOME', ['.local', 'state'], environment);
}

/** Returns the name of a workspace's folders in the state folder. */
export function workspaceId(root: string): string {
  return hash('sha256', root, 'hex').slice(0, 16);
}
