import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SynapseError } from '@synapse/protocol';
import type { HostGuard } from '../policy/host-guard.ts';
import { addressReach, type AddressReach } from './address-reach.ts';
import { hasWebPort, type WebAddress } from './web-address.ts';

/** All addresses of a name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export const resolveBySystem: ResolveHost = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

function refusal(host: string, reach: Exclude<AddressReach, 'public'>): SynapseError {
  if (reach === 'never') {
    return new SynapseError('denied', `${host} leads to an address that no page is fetched from, such as that of a cloud's metadata service.`, {
      hint: 'Nothing opens it. Use a public address.',
    });
  }
  const literal = host === 'localhost' || isIP(host.replace(/^\[|\]$/gu, '')) !== 0;
  const rule = literal ? `"fetch_url(domain:${host})"` : `{ "rule": "fetch_url(domain:${host})", "guarded": true }`;
  return new SynapseError('denied', `${host} leads to this machine or its network, where nothing is fetched unless a rule names that host.`, {
    hint: `Use a public address; or a person can open it with "allow": [${rule}].`,
  });
}

/**
 * Resolves a host once and judges every address of it: one bad among good ones is how rebinding begins. What this gives
 * is what must be connected to; the name must not be resolved again.
 *
 * @throws SynapseError `denied` for an address or port that must not be reached, `not_found` for a name that has none
 */
export async function admitHost(target: WebAddress, guard: HostGuard, resolve: ResolveHost, signal: AbortSignal): Promise<readonly string[]> {
  const { host, url } = target;
  const opened = guard.opensLocal(host);
  const literal = host.replace(/^\[|\]$/gu, '');
  const addresses = isIP(literal) === 0 ? await resolved(host, resolve, signal) : [literal];
  for (const address of addresses) {
    const reach = addressReach(address);
    if (reach === 'never' || (reach === 'local' && !opened)) throw refusal(host, reach);
  }
  if (!opened && !hasWebPort(target)) {
    throw new SynapseError('denied', `Port ${url.port} of ${host} is none of the web, and nothing is fetched from it.`, {
      hint: `Use port 80 or 443; or a person can open the ports of that host with "allow": [{ "rule": "fetch_url(domain:${host})", "guarded": true }].`,
    });
  }
  return addresses;
}

async function resolved(host: string, resolve: ResolveHost, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // A resolver cannot be cancelled; its answer is simply not waited for.
    const addresses = await Promise.race([resolve(host), aborted]);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    const temporary = Object(error).code === 'EAI_AGAIN' || Object(error).code === 'ETIMEOUT';
    if (temporary) {
      throw new SynapseError('unavailable', `The name ${host} could not be resolved at the moment.`, {
        hint: 'Check that this machine has a network, then repeat the call.',
        cause: error,
      });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throw new SynapseError('not_found', `There is no host named ${host}.`, { hint: 'Check the spelling, or search for the right address.' });
}
