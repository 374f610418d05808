import { SynapseError } from '@synapse/protocol';
import type { Dispatcher, Response } from 'undici';
import { until } from '../events/timing.ts';
import type { HostGuard } from '../policy/host-guard.ts';
import { size } from '../text/amounts.ts';
import { displayText } from '../workspace/byte-name.ts';
import { fetchError } from './fetch-error.ts';
import { loadHttpClient } from './http-client.ts';
import { hasWebPort, parseWebAddress, type WebAddress } from './web-address.ts';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { addressReach, type AddressReach } from '../net/address-reach.ts';

/** Returns all addresses of a host name. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export const resolveBySystem: ResolveHost = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

function refusal(host: string, reach: Exclude<AddressReach, 'public'>): SynapseError {
  if (reach === 'never') {
    return new SynapseError('denied', `${host} leads to an address that no page is fetched from, such as that of a cloud's metadata service.`, {
      hint: 'Nothing opens it. Use a public address.',
    });
  }
  const literal = host === 'localhost' || isIP(host.replace(/^\[|\]$/gu, '')) !== 0;
  const rule = literal ? `"fetch(${host})"` : `{ "rule": "fetch(${host})", "guarded": true }`;
  return new SynapseError('denied', `${host} leads to this machine or its network, where nothing is fetched unless a rule names that host.`, {
    hint: `Use a public address; or a person can open it with "allow": [${rule}].`,
  });
}

/**
 * Resolves a host once and checks all of its addresses. DNS rebinding starts with one bad address among good ones, so the
 * connection must use the returned addresses; the name must not be resolved again.
 *
 * @throws SynapseError `denied` for a forbidden address or port, `not_found` for a name without addresses
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
      hint: `Use port 80 or 443; or a person can open the ports of that host with "allow": [{ "rule": "fetch(${host})", "guarded": true }].`,
    });
  }
  return addresses;
}

/** A name that resolves wherever names of the internet do: a root server of the DNS (RFC 9499). */
const ALWAYS_THERE = 'a.root-servers.net';

/** Whether names of the internet are resolved at all. Otherwise an unknown host says nothing about its spelling. */
async function resolvesNames(resolve: ResolveHost): Promise<boolean> {
  try {
    return (await resolve(ALWAYS_THERE)).length > 0;
  } catch {
    // Any failure means that.
    return false;
  }
}

async function resolved(host: string, resolve: ResolveHost, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  try {
    const addresses = await until(resolve(host), signal);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    if (Object(error).code === 'EAI_AGAIN' || Object(error).code === 'ETIMEOUT') throw notResolved(host, error);
  }
  signal.throwIfAborted();
  if (!(await until(resolvesNames(resolve), signal))) throw notResolved(host);
  throw new SynapseError('not_found', `Host not found: ${host}`, { hint: 'Check the spelling, or search for the right address.' });
}

function notResolved(host: string, cause?: unknown): SynapseError {
  return new SynapseError(
    'unavailable',
    `No name resolution here: ${host} could not be resolved, nor can other names of the internet at the moment.`,
    {
      hint: 'The address may be right. A person can check the network and the DNS of this machine. Repeat the call later, or go on without the page.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** Maximum size of a body in bytes, after decompression. A page of documentation has about a tenth. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Maximum size of the headers in bytes. Browsers accept 256 KiB; pages need a fraction. */
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECT_MS = 10_000;
const SHOWN_CHARACTERS = 300;
/** Sends no user data: no cookies, credentials, referrer, or proxy from the environment. */
const USER_AGENT = 'synapse-fetch/1.0 (reads documentation)';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Content types that are not text. Their bodies are not downloaded. */
const NO_TEXT =
  /^(?:audio|video|font)\/|^application\/(?:pdf|zip|gzip|x-(?:tar|7z|rar|bzip2|xz|msdownload|iso9660)[\w-]*|vnd\.(?:ms-|openxml|oasis)[\w.-]*|wasm|java-archive)/u;

/** The final response of a server. */
export interface Page {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  /** As sent by the server, in lower case; empty if it sends none. */
  readonly contentType: string;
  readonly body: Buffer;
  readonly redirects: number;
}

/** Dependencies of fetching a page. */
export interface PageSurroundings {
  readonly guard: HostGuard;
  readonly signal: AbortSignal;
  /** Default: the system's resolver. */
  readonly resolve?: ResolveHost;
  /** Certificate authorities in PEM, instead of Node's. */
  readonly authorities?: string;
}

/**
 * Fetches a page with GET. Each redirect is checked again: its host by the rules, and its addresses by their network.
 * Connections use exactly the addresses that were checked.
 *
 * @throws SynapseError that describes the failure; `denied` if a redirect leads to a host that is not permitted
 */
export async function getPage(address: string, surroundings: PageSurroundings): Promise<Page> {
  const { fetch } = await loadHttpClient();
  let target = asked(address);
  for (let redirects = 0; ; redirects += 1) {
    const addresses = await admitHost(target, surroundings.guard, surroundings.resolve ?? resolveBySystem, surroundings.signal);
    const agent = await pinnedAgent(addresses, surroundings.authorities);
    try {
      const response = await fetch(target.url, {
        dispatcher: agent,
        redirect: 'manual',
        signal: surroundings.signal,
        referrerPolicy: 'no-referrer',
        headers: { 'user-agent': USER_AGENT, accept: 'text/html, text/markdown, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5' },
      });
      const next = redirectOf(response, target);
      if (next === undefined) return await pageOf(response, target, redirects);
      if (redirects >= MAX_REDIRECTS) {
        throw new SynapseError('tool_failed', `${target.host} redirects more than ${MAX_REDIRECTS} times.`, { hint: 'Use another address.' });
      }
      target = follow(target, next, surroundings.guard);
    } catch (error) {
      surroundings.signal.throwIfAborted();
      throw fetchError(error, target.host);
    } finally {
      // This also closes connections in use, so that an unread body does not delay the call.
      await agent.destroy();
    }
  }
}

function asked(address: string): WebAddress {
  const target = parseWebAddress(address);
  if (typeof target !== 'string') return target;
  throw new SynapseError('invalid_arguments', `The address ${target}.`, { hint: 'Give a whole address such as https://nodejs.org/api/fs.html.' });
}

/** Returns an agent that connects only to the given addresses, whatever the name resolves to later. */
async function pinnedAgent(addresses: readonly string[], authorities: string | undefined): Promise<Dispatcher> {
  const { Agent } = await loadHttpClient();
  const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Agent({
    allowH2: false,
    connections: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: {
      timeout: CONNECT_MS,
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 change Node's defaults.
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ...(authorities === undefined ? {} : { ca: authorities }),
      lookup(_host, { all }, callback) {
        const [first] = records;
        if (all === true) callback(null, records);
        else callback(null, first?.address ?? '', first?.family);
      },
    },
  });
}

function redirectOf(response: Response, { url }: WebAddress): string | undefined {
  const location = response.headers.get('location');
  if (!REDIRECTS.has(response.status) || location === null) return undefined;
  // Relative to the page. Return an invalid address unchanged.
  return URL.canParse(location, url.href) ? new URL(location, url).href : location;
}

function follow(from: WebAddress, location: string, guard: HostGuard): WebAddress {
  const shown = displayText(location.slice(0, SHOWN_CHARACTERS));
  const stop = (why: string, hint: string): never => {
    throw new SynapseError('denied', `${from.host} redirects to ${shown}, ${why}. Nothing was fetched from there.`, {
      hint,
      details: { location: location.slice(0, SHOWN_CHARACTERS).toWellFormed() },
    });
  };
  const to = parseWebAddress(location);
  if (typeof to === 'string') return stop(`which ${to}`, 'Use another address.');
  if (from.url.protocol === 'https:' && to.url.protocol === 'http:')
    return stop('which gives up encryption', 'Ask for that address itself if it may be read without.');
  const refusal = guard.refusal(to.url.href);
  if (refusal !== undefined)
    return stop(`and that host is not permitted yet (${refusal})`, 'Ask for that address itself, so that it can be decided on.');
  return to;
}

async function pageOf(response: Response, { url, host }: WebAddress, redirects: number): Promise<Page> {
  const contentType = (response.headers.get('content-type') ?? '').toLowerCase();
  if (NO_TEXT.test(contentType)) {
    throw new SynapseError('binary_file', `${host} answered with ${displayText(contentType.slice(0, 100))}, which is no text.`, {
      hint: 'Look for the same as HTML or plain text.',
    });
  }
  return { url: url.href, status: response.status, contentType, body: await readBody(response, host), redirects };
}

/** Reads a body up to the limit. The limit applies to the decompressed size, not to the transferred size. */
async function readBody(response: Response, host: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      throw new SynapseError('too_large', `The answer of ${host} is larger than ${size(MAX_BODY_BYTES)}; reading was stopped.`, {
        hint: 'Ask for a smaller page, such as a single chapter.',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
