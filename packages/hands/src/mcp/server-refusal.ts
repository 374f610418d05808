import type { ServerConfig } from './config/server-config.ts';
import type { PinStore } from './pins/pin-store.ts';
import { serverName } from './tools/tool-name.ts';

/** Why a server is not started, and what a person can do about it. */
export interface Refusal {
  readonly state: 'disabled' | 'untrusted' | 'unapproved' | 'failed';
  readonly reason: string;
  readonly hint: string;
}

/** Whether a server may be started, and what a person has to do where it may not. */
export function refusalOf(config: ServerConfig, trusted: boolean, root: string, pins: PinStore | undefined): Refusal | undefined {
  if (config.disabled) return { state: 'disabled', reason: 'it is disabled in its configuration', hint: `Enable it in ${config.origin}.` };
  if (config.layer === 'project' && !trusted) {
    return {
      state: 'untrusted',
      reason: `${config.origin} belongs to a folder that nobody trusts`,
      hint: `A person who has looked at that file can trust it: synapse projects trust ${root}`,
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
    hint: `A person who has looked at it can let it in: synapse mcp approve ${serverName(config.name)}`,
  };
}

/** Lets in a server as it is configured now. */
export function pinLaunch({ name, fingerprint }: ServerConfig, pins: PinStore): void {
  pins.see(`launch ${name}`, fingerprint);
}
