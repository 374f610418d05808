import { SynapseError } from '@synapse/protocol';
import { isIP } from 'node:net';
import { type AddressReach, isLoopbackAddress } from '../../net/address-reach.ts';

/** A host that a client requested, in the single form in which it is compared and resolved. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** The ports of HTTP and HTTPS. Other ports lead to mail, shells and databases, unless a rule names them. */
const PORTS: ReadonlySet<number> = new Set([80, 443]);
/** DNS names in ASCII: no escapes, no empty labels, at least two labels. */
const HOST = /^(?=.{1,253}$)(?:[a-z\d_](?:[-a-z\d_]{0,61}[a-z\d_])?\.)+[a-z](?:[-a-z\d]{0,61}[a-z\d])?$/u;
/** A name in the local network. A number in any notation is no name. */
const LABEL = /^[a-z](?:[-a-z\d]{0,61}[a-z\d])?$/u;
const AUTHORITY = /^(?<host>[^:@/?#\s]+):(?<port>\d{1,5})$/u;

/**
 * Parses the `host:port` of a CONNECT request. Undefined for anything that two parsers could interpret differently:
 * unusual forms of addresses, a trailing dot, a user, NUL and other bytes that names cannot contain.
 */
export function parseAuthority(authority: string): HostAddress | undefined {
  const groups = AUTHORITY.exec(authority)?.groups;
  return groups === undefined ? undefined : hostAddress(groups['host'] ?? '', Number(groups['port']));
}

/** Parses the absolute URL of a plain request to a proxy. */
export function parseTarget(target: string): (HostAddress & { readonly path: string }) | undefined {
  // Before the URL parser normalizes it.
  const match = /^http:\/\/(?<host>[^:@/?#\\\s]+)(?::(?<port>\d{1,5}))?(?<path>[/?][\x21-\x7e]*)?$/iu.exec(target);
  if (match?.groups === undefined) return undefined;
  const address = hostAddress(match.groups['host'] ?? '', Number(match.groups['port'] ?? 80));
  const path = match.groups['path'] ?? '/';
  return address === undefined ? undefined : { ...address, path: path.startsWith('?') ? `/${path}` : path };
}

function hostAddress(name: string, port: number): HostAddress | undefined {
  const host = name.toLowerCase();
  return isHost(host) && port > 0 && port <= 65_535 ? { host, port } : undefined;
}

/** IPv4 only in its usual form, which all parsers read alike. */
const isHost = (host: string): boolean => HOST.test(host) || LABEL.test(host) || isIP(host) === 4;

/** Parses a rule of the policy: a name, or `*.name` for all subdomains. Undefined for anything else. */
export function parseDomainRule(rule: string): string | undefined {
  const name = rule.toLowerCase();
  const base = name.startsWith('*.') ? name.slice(2) : name;
  return HOST.test(base) ? name : undefined;
}

/**
 * Parses a rule that a user wrote: a host, an address or `*.name`, and a port where it is not that of HTTP or HTTPS.
 * @throws SynapseError `invalid_arguments` if it is none
 */
export function domainRule(given: string): string {
  const rule = given.toLowerCase();
  if (parseDomainRule(rule) !== undefined) return rule;
  const host = rule.replace(/:\d{1,5}$/u, '');
  const port = rule.slice(host.length + 1);
  if ((port === '' || hostAddress('a.a', Number(port)) !== undefined) && (isHost(host) || parseDomainRule(host) !== undefined)) return rule;
  throw new SynapseError('invalid_arguments', `${JSON.stringify(given.slice(0, 100))} is no name of a host.`, {
    hint: 'Write example.com, *.example.com, or registry.example.com:8081.',
  });
}

/** Whether a rule is about a host and its port. */
function isAbout(rule: string, { host, port }: HostAddress): boolean {
  const name = rule.replace(/:\d+$/u, '');
  const fits = name.startsWith('*.') ? host.endsWith(name.slice(1)) && host.length > name.length - 1 : host === name;
  return fits && (name === rule ? PORTS.has(port) : rule.endsWith(`:${port}`));
}

/** Whether a host is allowed: equal to a rule, or a subdomain of a `*.` rule. */
export function isAllowedHost(asked: HostAddress, rules: readonly string[]): boolean {
  return rules.some((rule) => isAbout(rule, asked));
}

/**
 * Whether a connection to an address is allowed for a host. What a person named exactly may be in a private network. No name leads to this
 * machine or to a metadata service of a cloud, except `localhost` and the address itself: only then was that meant.
 *
 * @param isNamed whether a person named the host exactly
 */
export function mayReach(host: string, address: string, isNamed: boolean, reach: (address: string) => AddressReach): boolean {
  const isLoopback = isLoopbackAddress(address);
  if (isNamed && (host === address || host === 'localhost')) return host === address || isLoopback;
  return isLoopback ? false : reach(address) === 'public' || (isNamed && reach(address) === 'local');
}
