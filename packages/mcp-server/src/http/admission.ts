import { isJsonContentType, localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';

/** Path of the only endpoint. */
export const ENDPOINT = '/mcp';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

/** The parts of a request known before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** As in the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Local address of the connection. */
  readonly localAddress: string | undefined;
}

/** Rules for admitting requests. */
export interface AdmissionRules {
  /** See {@link hostCheck}. */
  readonly servesHost: (hostHeader: string | undefined, localAddress: string | undefined) => boolean;
  /** Allowed origins besides those of this machine, such as `https://app.example`. */
  readonly origins: readonly string[];
  readonly hasToken: (authorization: string | undefined) => boolean;
  /** Maximum size of a body in bytes. */
  readonly maxBodyBytes: number;
}

/** The reason a request is refused. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function bracketed(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

/**
 * Returns a check of the `Host` header. A page that resolved its name to this machine (DNS rebinding) sends that name;
 * an IP address cannot be rebound, so the local address of the connection is allowed.
 *
 * @param listening host the server listens on
 */
export function hostCheck(listening: string): AdmissionRules['servesHost'] {
  const always = [...localhostAllowedHostnames(), bracketed(listening.toLowerCase())];
  // Nearly all requests repeat the header of the one before, and parsing it costs as much as comparing the token.
  let last: { readonly header: string | undefined; readonly address: string | undefined } | undefined;
  return (header, address) => {
    if (last !== undefined && last.header === header && last.address === address) return true;
    const own = address?.replace(/^::ffff:/u, '');
    const isServed = validateHostHeader(header, [...always, ...(own === undefined ? [] : [bracketed(own)])]).ok;
    if (isServed) last = { header, address };
    return isServed;
  };
}

/** Whether a page of this origin may use the server. Clients other than browsers send no origin. */
export function allowsOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin === undefined || allowed.includes(origin) || validateOriginHeader(origin, localhostAllowedHostnames()).ok;
}

/** Whether a request is a CORS preflight. It has no token, and learns only what is allowed. */
export function isPreflight({ method, headers }: RequestHead): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/**
 * Decides from the head of a request alone; undefined if it is admitted. The order matters: a client that
 * may not use the server at all learns nothing else, and no body is read before the token is checked.
 */
export function refusalOf(head: RequestHead, rules: AdmissionRules): HttpRefusal | undefined {
  const { method, url, headers } = head;
  if (!rules.servesHost(headers.host, head.localAddress)) {
    return { status: 403, message: 'This Host is not served here: the server answers under the name of this machine only.' };
  }
  if (!allowsOrigin(headers.origin, rules.origins)) {
    return { status: 403, message: 'Pages of this Origin have no access. Allow it: synapse mcp --http --allow-origin <origin>' };
  }
  if (url.split('?', 1)[0] !== ENDPOINT) return { status: 404, message: `Not found. MCP is served at ${ENDPOINT}.` };
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
