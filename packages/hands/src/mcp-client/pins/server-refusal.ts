import type { ServerConfig } from '../config/server-config.ts';
import type { PinStore } from './pin-store.ts';
import { quoteWord } from '../../text/shell-words.ts';
import { serverName } from '../tool-name.ts';

/** Why a server is not started, and what the user can do. */
export interface Refusal {
  readonly state: 'disabled' | 'untrusted' | 'unapproved' | 'failed';
  readonly reason: string;
  readonly hint: string;
}

/** Returns why a server must not be started, and what the user has to do; undefined if it may be. */
export function refusalOf(config: ServerConfig, trusted: boolean, root: string, pins: PinStore | undefined): Refusal | undefined {
  if (config.disabled) return { state: 'disabled', reason: 'it is disabled in its configuration', hint: `Enable it in ${config.origin}.` };
  if (config.layer === 'project' && !trusted) {
    return {
      state: 'untrusted',
      reason: `${config.origin} belongs to an untrusted folder`,
      hint: `A person who has looked at that file can trust it: synapse projects trust ${quoteWord(root)}`,
    };
  }
  if (pins === undefined) {
    return { state: 'failed', reason: 'what was approved of it cannot be read', hint: 'Make the state folder of Synapse writable.' };
  }
  if (config.layer !== 'project' || pins.seen(`launch ${config.name}`) === config.fingerprint) return undefined;
  const since = pins.seen(`launch ${config.name}`) === undefined ? 'it is new in' : 'it was changed in';
  return {
    state: 'unapproved',
    reason: `${since} ${config.origin} since the folder was trusted`,
    hint: `A person who has looked at it can approve it: synapse mcp approve ${serverName(config.name)}`,
  };
}

/** Approves a server as currently configured. */
export function pinLaunch({ name, fingerprint }: ServerConfig, pins: PinStore): void {
  pins.see(`launch ${name}`, fingerprint);
}
