import { SynapseError } from '@synapse/protocol';
import { isIP } from 'node:net';
import { addressReach } from '../../net/address-reach.ts';
import { boundedFetch, type Fetch } from '../http/bounded-fetch.ts';

/** Maximum size of a metadata document or token response in bytes; real ones have a few thousand. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** Milliseconds for one response. */
const ANSWER_MS = 15_000;

const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** Whether a URL refers to this machine, by its host name. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** Whether a URL refers to a machine in a private network. */
function isLocal(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  return isLoopback(url) || (isIP(host) !== 0 && addressReach(host) !== 'public');
}

/**
 * Returns why a URL from a server is not followed; undefined if it may be.
 *
 * @param server URL of the MCP server: a remote one must not direct us to machines of the local network
 */
export function refusalOfAddress(url: URL, server: URL): string | undefined {
  const shown = `${url.origin}${url.pathname}`;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return `${shown} is not encrypted`;
  if (url.username !== '' || url.password !== '') return `${url.origin} holds a password`;
  if (isLocal(url) && !isLocal(server)) return `${shown} is an address of this network, and the server is not`;
  return undefined;
}

/** A `fetch` for secrets: encrypted, without redirects, and with bounded responses. */
export interface GuardedFetch {
  readonly fetch: Fetch;
  /** The first refusal. Discovery continues after it, which must not lead to a login elsewhere. */
  readonly refused: () => SynapseError | undefined;
}

/** @param server the MCP server that the login is for */
export function guardedFetch(server: URL): GuardedFetch {
  let refused: SynapseError | undefined;
  const bounded = boundedFetch({ limit: MAX_ANSWER_BYTES });
  const refuse = (what: string): never => {
    refused ??= new SynapseError('denied', `The login was not started: ${what}.`, {
      hint: 'This is the answer of the server, or of a proxy, about its login. Ask its operator.',
    });
    throw refused;
  };
  return {
    refused: () => refused,
    fetch: async (address, init) => {
      const url = new URL(address);
      const problem = refusalOfAddress(url, server);
      if (problem !== undefined) refuse(problem);
      const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(init?.signal ? [init.signal] : [])]);
      // A redirect would pass a code or token on to its target.
      const response = await bounded(url, { ...init, redirect: 'manual', signal });
      if (response.status >= 300 && response.status < 400) refuse(`${url.origin}${url.pathname} leads elsewhere`);
      return response;
    },
  };
}
