import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where audit, journal, locks and stored outputs live by default: `$XDG_STATE_HOME/synapse`, else `~/.local/state/synapse`. */
export function defaultStateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const configured = environment['XDG_STATE_HOME'];
  // The XDG specification has relative values ignored.
  const base = configured?.startsWith('/') === true ? configured : join(homedir(), '.local', 'state');
  return join(base, 'synapse');
}
