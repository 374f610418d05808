import { SynapseError } from '@synapse/protocol';
import type { Dispatcher, Response } from 'undici';
import type { HostGuard } from '../policy/host-guard.ts';
import { size } from '../text/amounts.ts';
import { displayText } from '../workspace/byte-name.ts';
import { admitHost, resolveBySystem, type ResolveHost } from './admit-host.ts';
import { fetchError } from './fetch-error.ts';
import { parseWebAddress, type WebAddress } from './web-address.ts';

/** Bytes of a body after decompression; a page of documentation is a tenth of it. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Browsers take 256 KiB; pages need a fraction. */
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECT_MS = 10_000;
const SHOWN_CHARACTERS = 300;
/** Nothing of the person is told: no cookies, no credentials, no referrer, no proxy of the environment. */
const USER_AGENT = 'synapse-fetch/1.0 (reads documentation)';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What is no text by its own word is not even downloaded. */
const NO_TEXT =
  /^(?:audio|video|font)\/|^application\/(?:pdf|zip|gzip|x-(?:tar|7z|rar|bzip2|xz|msdownload|iso9660)[\w-]*|vnd\.(?:ms-|openxml|oasis)[\w.-]*|wasm|java-archive)/u;

/** What a server answered in the end. */
export interface Page {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** As the server says, in lower case; empty where it says nothing. */
  readonly contentType: string;
  readonly body: Buffer;
  readonly redirects: number;
}

/** What fetching a page depends on. */
export interface PageSurroundings {
  readonly guard: HostGuard;
  readonly signal: AbortSignal;
  /** Default: that of the system. */
  readonly resolve?: ResolveHost;
  /** Certificate authorities in PEM, instead of those of Node. */
  readonly authorities?: string;
}

/**
 * Fetches a page with GET. Each hop is judged anew: its host by the rules, its addresses by where they lead, and the
 * connection goes to exactly the addresses that were judged.
 *
 * @throws SynapseError in words of what happened; `denied` where a redirect leads to where nothing permits to go
 */
export async function getPage(address: string, surroundings: PageSurroundings): Promise<Page> {
  const { fetch } = await import('undici');
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
      // With whatever is still under way: nobody waits for the rest of a body that is not read.
      await agent.destroy();
    }
  }
}

function asked(address: string): WebAddress {
  const target = parseWebAddress(address);
  if (typeof target !== 'string') return target;
  throw new SynapseError('invalid_arguments', `The address ${target}.`, { hint: 'Give a whole address such as https://nodejs.org/api/fs.html.' });
}

/** Connects to the given addresses only, whatever the name means by then. */
async function pinnedAgent(addresses: readonly string[], authorities: string | undefined): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Agent({
    allowH2: false,
    connections: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: {
      timeout: CONNECT_MS,
      // Said, not left to Node: NODE_TLS_REJECT_UNAUTHORIZED=0 and --tls-min-v1.0 count only where nothing is said.
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
  // Relative to where it was given; what is no address at all is told as it stands.
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

/** Reads a body up to the limit: what a small answer unpacks to counts, not what came over the wire. */
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
