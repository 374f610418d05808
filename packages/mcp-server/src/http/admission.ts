import { isJsonContentType, localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';

/** The one address that is served. */
export const ENDPOINT = '/mcp';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** As the request line has it. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection came in at. */
  readonly localAddress: string | undefined;
}

/** Who is let in. */
export interface AdmissionRules {
  /** The host that the server was told to listen on. */
  readonly host: string;
  /** Origins besides those of this machine, such as `https://app.example`. */
  readonly origins: readonly string[];
  readonly hasToken: (authorization: string | undefined) => boolean;
  /** Bytes of a body. */
  readonly maxBodyBytes: number;
}

/** Why a request is not served. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function bracketed(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

/**
 * Names under which this server may be asked. A page that had its own name resolved to this machine (DNS
 * rebinding) asks under that name; an address cannot be rebound, so that of the connection is allowed.
 */
function hostnames({ host }: AdmissionRules, { localAddress }: RequestHead): string[] {
  const own = localAddress?.replace(/^::ffff:/u, '');
  return [...localhostAllowedHostnames(), bracketed(host.toLowerCase()), ...(own === undefined ? [] : [bracketed(own)])];
}

/** Whether a page of this origin may talk to the server. Programs that are no browser send no origin. */
export function allowsOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin === undefined || allowed.includes(origin) || validateOriginHeader(origin, localhostAllowedHostnames()).ok;
}

/** What a browser asks before it lets a page send a request. It has no token, and is told nothing but what is allowed. */
export function isPreflight({ method, headers }: RequestHead): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/**
 * Decides by the head of a request alone whether it is served; undefined where it is. The order matters: whoever
 * may not talk to the server at all learns nothing else, and no body is read before the token was seen.
 */
export function refusalOf(head: RequestHead, rules: AdmissionRules): HttpRefusal | undefined {
  const { method, url, headers } = head;
  if (!validateHostHeader(headers.host, hostnames(rules, head)).ok) {
    return { status: 403, message: 'This Host is not served here: the server answers under the name of this machine only.' };
  }
  if (!allowsOrigin(headers.origin, rules.origins)) {
    return { status: 403, message: 'Pages of this Origin are not let in; synapse mcp --http --allow-origin names more.' };
  }
  if (url.split('?', 1)[0] !== ENDPOINT) return { status: 404, message: `There is nothing here; MCP is served at ${ENDPOINT}.` };
  if (isPreflight(head)) return undefined;
  if (!rules.hasToken(headers.authorization)) {
    const given = headers.authorization === undefined ? '' : ' error="invalid_token",';
    return {
      status: 401,
      message: 'A bearer token is needed: Authorization: Bearer <token>, with the token of the file that the server named when it started.',
      headers: { 'www-authenticate': `Bearer realm="synapse",${given} error_description="The token of the server's token file is needed"` },
    };
  }
  if (!METHODS.has(method)) return { status: 405, message: 'MCP takes POST, GET and DELETE.', headers: { allow: 'GET, POST, DELETE' } };
  if (method !== 'POST') return undefined;
  if (!isJsonContentType(headers['content-type'] ?? null)) return { status: 415, message: 'The Content-Type must be application/json.' };
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    // A few kilobytes can unpack to gigabytes.
    return { status: 415, message: 'Compressed bodies are not taken.' };
  }
  if (Number(headers['content-length'] ?? 0) > rules.maxBodyBytes) return tooLarge(rules.maxBodyBytes);
  return undefined;
}

/** Refuses a body over the limit. */
export function tooLarge(maxBodyBytes: number): HttpRefusal {
  return { status: 413, message: `A message may have ${maxBodyBytes.toLocaleString('en')} bytes at most.` };
}
