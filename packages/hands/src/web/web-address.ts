import { canonicalHost } from '../policy/host-pattern.ts';

/** An address that may be fetched. Rules, resolver and connection use the same host. */
export interface WebAddress {
  /** Without the fragment, which is not sent to servers. */
  readonly url: URL;
  /** In the form that rules compare; IPv6 in brackets. */
  readonly host: string;
}

/** Maximum number of characters of an address. A longer one can exfiltrate data. */
const MAX_CHARACTERS = 4_096;
/** Web ports. Other ports belong to mail, shells and databases. */
const WEB_PORTS = new Set(['', '80', '443']);

/**
 * Parses an address from a caller or a redirect.
 *
 * @returns the address, or a description of what is wrong with it
 */
export function parseWebAddress(text: string): WebAddress | string {
  if (text.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS.toLocaleString('en')} characters`;
  // Checked before a URL parser normalizes `http:\\host` or a line break.
  if (!/^https?:\/\/[^/]/iu.test(text)) return 'must begin with http:// or https://';
  if (/[\0-\x20\x7f\\]/u.test(text)) return 'must hold no spaces, control characters or backslashes; write a space as %20';
  if (!URL.canParse(text)) return 'is no valid URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  const host = canonicalHost(text);
  if (host === undefined) return 'has a host name that is none';
  url.hostname = host;
  url.hash = '';
  return { url, host };
}

/** Whether the address has a web port or no port. */
export function hasWebPort({ url }: WebAddress): boolean {
  return WEB_PORTS.has(url.port);
}

/** Returns the address for logs, without its query, which may contain secrets. */
export function shownAddress(url: string): string {
  const parsed = new URL(url);
  return `${parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
}
