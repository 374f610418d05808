import { canonicalHost } from '../policy/host-pattern.ts';

/** An address that may be asked for: one host for rules, resolver and connection alike. */
export interface WebAddress {
  /** Without a fragment, which no server gets to see. */
  readonly url: URL;
  /** As rules compare it; IPv6 in brackets. */
  readonly host: string;
}

/** More than any browser sends; what is longer carries data away. */
const MAX_CHARACTERS = 4_096;
/** The ports of the web; others lead to mail, shells and databases. */
const WEB_PORTS = new Set(['', '80', '443']);

/**
 * Reads an address as a caller or a redirect gives it.
 *
 * @returns the address, or in words what is wrong with it
 */
export function parseWebAddress(text: string): WebAddress | string {
  if (text.length > MAX_CHARACTERS) return `is longer than ${MAX_CHARACTERS.toLocaleString('en')} characters`;
  // Before a URL parser folds `http:\\host` or a line break into something else.
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

/** Whether the address names one of the ports of the web, or none. */
export function hasWebPort({ url }: WebAddress): boolean {
  return WEB_PORTS.has(url.port);
}

/** The address without its query, which may hold secrets: for lines in logs. */
export function shownAddress(url: string): string {
  const parsed = new URL(url);
  return `${parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
}
