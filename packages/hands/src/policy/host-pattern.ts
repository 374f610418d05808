import { isIP } from 'node:net';
import { addressReach } from '../web/address-reach.ts';

/** Hosts as a rule names them. */
export interface HostPattern {
  readonly text: string;
  /** Whether it names this machine or one of its network by a name that no resolver decides on. */
  readonly namesLocal: boolean;
  /** Takes a canonical host; undefined is a host nobody knows, which only a rule about all hosts matches. */
  matches(host: string | undefined): boolean;
}

/** What an ASCII host may consist of after canonicalisation; no `%`, no NUL, no underscore games. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/u;

/**
 * The host of a URL or a bare host name in the one form that rules compare: lower case, punycode, no
 * trailing dot, IPv4 in dotted decimals. Undefined for whatever has no such form, or hides behind userinfo.
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

/**
 * Reads `domain:example.com`: the host itself and everything below it, label by label.
 *
 * @returns the pattern, or in words what is wrong with it
 */
export function compileHostPattern(text: string): HostPattern | string {
  if (text === '*' || text === 'domain:*') return { text, namesLocal: false, matches: () => true };
  if (!text.startsWith('domain:')) return 'a host is written as domain:example.com';
  const name = text.slice('domain:'.length);
  const onlyBelow = name.startsWith('*.');
  const wanted = canonicalHost(onlyBelow ? name.slice(2) : name);
  if (wanted === undefined || /[/:?#*]/u.test(name.replace(/^\*\.|^\[.*\]$/u, ''))) {
    return `"${name.slice(0, 80)}" is not a host name; no scheme, port or path belongs here`;
  }
  // An address has no labels: 10.0.0.1 does not lie below 0.0.1.
  const address = wanted.replace(/^\[|\]$/gu, '');
  const isAddress = isIP(address) !== 0;
  const suffix = `.${wanted}`;
  return {
    text,
    namesLocal: isAddress ? addressReach(address) === 'local' : /(?:^|\.)localhost$/u.test(wanted),
    matches: (host) => host !== undefined && ((!onlyBelow && host === wanted) || (!isAddress && host.endsWith(suffix))),
  };
}
