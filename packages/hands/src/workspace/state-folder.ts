import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder of Synapse below a base folder of the XDG specification.
 * @param variable names the base folder
 * @param fallback the base folder below the home folder, where the variable says nothing
 */
export function xdgFolder(variable: 'XDG_STATE_HOME' | 'XDG_CONFIG_HOME', fallback: readonly string[], environment: NodeJS.ProcessEnv): string {
  const configured = environment[variable];
  // The specification has relative values ignored.
  const base = configured?.startsWith('/') === true ? configured : join(homedir(), ...fallback);
  return join(base, 'synapse');
}

/** Where audit, journal, locks and stored outputs live by default: `$XDG_STATE_HOME/synapse`, else `~/.local/state/synapse`. */
export function defaultStateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return xdgFolder('XDG_STATE_HOME', ['.local', 'state'], environment);
}
