import { SynapseError } from '@synapse/protocol';
import { isIP } from 'node:net';

/** A host that a client requested, in the single form in which it is compared and resolved. */
export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

/** The ports of HTTP and HTTPS. Other ports lead to mail, shells and databases. */
const PORTS = new Set([80, 443]);
/** DNS names in ASCII: no escapes, no empty labels, at least two labels. */
const HOST = /^(?=.{1,253}$)(?:[a-z\d_](?:[-a-z\d_]{0,61}[a-z\d_])?\.)+[a-z](?:[-a-z\d]{0,61}[a-z\d])?$/u;
const AUTHORITY = /^(?<host>[^:@/?#\s]+):(?<port>\d{1,5})$/u;

/**
 * Parses the `host:port` of a CONNECT request. Undefined for anything that two parsers could interpret differently:
 * addresses instead of names, a trailing dot, a user, NUL and other bytes that names cannot contain.
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
  if (isIP(host) !== 0 || !HOST.test(host) || !PORTS.has(port)) return undefined;
  return { host, port };
}

/** Parses a rule of the policy: a name, or `*.name` for all subdomains. Undefined for anything else. */
export function parseDomainRule(rule: string): string | undefined {
  const name = rule.toLowerCase();
  const base = name.startsWith('*.') ? name.slice(2) : name;
  return HOST.test(base) ? name : undefined;
}

/** Parses a rule that a user wrote. @throws SynapseError `invalid_arguments` if it is not a host name */
export function domainRule(given: string): string {
  const rule = parseDomainRule(given);
  if (rule !== undefined) return rule;
  throw new SynapseError('invalid_arguments', `${JSON.stringify(given.slice(0, 100))} is no name of a host.`, {
    hint: 'Write example.com or *.example.com.',
  });
}

/** Whether a host is allowed: equal to a rule, or a subdomain of a `*.` rule. */
export function isAllowedHost(host: string, rules: readonly string[]): boolean {
  return rules.some((rule) => (rule.startsWith('*.') ? host.endsWith(rule.slice(1)) && host.length > rule.length - 1 : host === rule));
}
