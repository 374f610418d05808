import type { IncomingHttpHeaders } from 'node:http';

/** The head of a request, which is checked before anything else is used. */
export interface RequestHead {
  readonly method: string;
  /** The target of the request line. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The reason a request is rejected. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost'] as const;

/** Returns the host names of the console. A page that resolves its own name to this machine (DNS rebinding) sends a different one. */
function hosts(port: number): readonly string[] {
  return LOOPBACK_NAMES.map((name) => `${name}:${port}`);
}

/** Whether a page elsewhere embeds a file: it may do that without sending an origin. Modern browsers send these headers instead. */
function isEmbedded({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: RequestHead['headers']): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none' && mode !== 'navigate';
}

/**
 * Decides from the head of a request whether to accept it. Everything except the page's own files requires an origin:
 * browsers send it there, and pages on other ports of this machine count as the same site.
 */
export function refusalOf({ method, headers }: RequestHead, port: number, isUpgrade = false): Refusal | undefined {
  const { host, origin } = headers;
  if (host === undefined || !hosts(port).includes(host)) return { status: 421, message: 'Open the console at 127.0.0.1 or localhost.' };
  if (origin !== undefined && origin !== `http://${host}`) return { status: 403, message: 'Pages of other origins have no access.' };
  if (isUpgrade) return origin === undefined ? { status: 403, message: 'The console is for a browser.' } : undefined;
  if (!['GET', 'HEAD', 'POST'].includes(method)) return { status: 405, message: 'The console takes GET and POST.' };
  if (method === 'POST' && origin === undefined) return { status: 403, message: 'The console is for a browser.' };
  if (method !== 'POST' && isEmbedded(headers)) return { status: 403, message: 'Pages of other origins have no access.' };
  return undefined;
}
