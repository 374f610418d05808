import { isIP } from 'node:net';
import { addressReach } from '../net/address-reach.ts';

/** The hosts of a rule. */
export interface HostPattern {
  readonly text: string;
  /** Whether it names this machine or a local address, decided without a resolver. */
  readonly namesLocal: boolean;
  /** @param host canonical; undefined for an unknown host, which only a rule about all hosts matches */
  matches(host: string | undefined): boolean;
}

/** A canonical ASCII host: no `%`, no NUL, no underscores. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/u;

/**
 * Returns the host of a URL or a bare host name in the canonical form for comparison: lower case, punycode, no
 * trailing dot, dotted-decimal IPv4. Undefined for invalid hosts and for URLs with userinfo.
 */
export function canonicalHost(text: string): string | undefined {
  const candidate = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (/[\0-\x20\x7f\\]/u.test(candidate) || !URL.canParse(candidate)) return undefined;
  const url = new URL(candidate);
  if (url.username !== '' || url.password !== '') return undefined;
  const host = url.hostname.toLowerCase().replace(/\.$/u, '');
  if (host.startsWith('[')) return host;
  return HOST.test(host) ? host : undefined;
}

/** What a URL requests; nothing if it is none. */
export function requestTo(url: string, method = 'GET'): { readonly request?: { readonly method: string; readonly path: string } } {
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(url) ? url : `http://${url}`);
  return parsed === null ? {} : { request: { method, path: `${parsed.pathname}${parsed.search}` } };
}

/**
 * Parses `example.com`: the host itself and everything below it, label by label. `*.example.com` matches only what is below it.
 * Accepts a `domain:` prefix, as in Claude Code rules.
 *
 * @returns the pattern, or a message about what is wrong with it
 */
export function compileHostPattern(text: string): HostPattern | string {
  const name = text.trim().replace(/^domain:/u, '');
  if (name === '*') return { text, namesLocal: false, matches: () => true };
  const onlyBelow = name.startsWith('*.');
  const wanted = canonicalHost(onlyBelow ? name.slice(2) : name);
  if (wanted === undefined || /[/:?#*]/u.test(name.replace(/^\*\.|^\[.*\]$/u, ''))) {
    return `"${name.slice(0, 80)}" is not a host name; no scheme, port or path belongs here`;
  }
  // IP addresses have no subdomains: 10.0.0.1 is not below 0.0.1.
  const address = wanted.replace(/^\[|\]$/gu, '');
  const isAddress = isIP(address) !== 0;
  const suffix = `.${wanted}`;
  return {
    text,
    namesLocal: isAddress ? addressReach(address) === 'local' : /(?:^|\.)localhost$/u.test(wanted),
    matches: (host) => host !== undefined && ((!onlyBelow && host === wanted) || (!isAddress && host.endsWith(suffix))),
  };
}
