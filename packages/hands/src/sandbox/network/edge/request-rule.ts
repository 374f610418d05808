import { SynapseError } from '@synapse/protocol';
import { domainRule, isAllowedHost, type HostAddress } from '../host-rules.ts';
import { compileRequestPattern, type RequestPattern } from '../../../net/request-pattern.ts';

/** A rule that opens some requests of a host: `api.github.com GET /repos/**`. */
export interface RequestRule {
  readonly text: string;
  /** See {@link domainRule}. */
  readonly host: string;
  readonly pattern: RequestPattern;
}

/**
 * Parses what `--network` names: a host, or a host with methods and a path.
 *
 * @returns the rule of a host as text, or one about requests
 * @throws SynapseError `invalid_arguments` if it is neither
 */
export function parseOpened(given: string): string | RequestRule {
  const text = given.trim().replaceAll(/\s+/gu, ' ');
  const [host = '', ...words] = text.split(' ');
  if (words.length === 0) return domainRule(text);
  const pattern = compileRequestPattern(words);
  if (typeof pattern === 'string') {
    throw new SynapseError('invalid_arguments', `${JSON.stringify(text.slice(0, 100))} is no rule for requests: ${pattern}.`, {
      hint: 'Write "api.example.com GET /repos/**", "api.example.com GET|HEAD /**", or "api.example.com /v1/**".',
    });
  }
  return { text: [domainRule(host), ...words].join(' '), host: domainRule(host), pattern };
}

/** The rules that are about a host. */
export function rulesAbout(asked: HostAddress, rules: readonly RequestRule[]): RequestRule[] {
  return rules.filter(({ host }) => isAllowedHost(asked, [host]));
}

/** The host that a rule opens, at least for some requests. */
export const hostOf = (opened: string | RequestRule): string => (typeof opened === 'string' ? opened : opened.host);
