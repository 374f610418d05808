import { isIP } from 'node:net';
import type { AnsweredRequest } from './asked-request.ts';
import type { HostRefusal } from './filtering-proxy.ts';
import { ASKED, requestText } from './noted-request.ts';
import { parseDomainRule } from './host-rules.ts';

/**
 * Why the proxy did not connect to a host: no rule opens it, a rule denies it, none of its addresses may be reached, or it is no host by name on a
 * web port;
 * or why a request to an open host did not succeed: no rule opens it, a rule denies it, or something else.
 */
export type RefusalReason =
  | 'closed'
  | 'denied'
  | 'too-much'
  | 'no-public-address'
  | 'not-a-web-host'
  | 'closed-request'
  | 'denied-request'
  | 'failed-request';

/** A host that the proxy refused to a command. */
export interface RefusedHost {
  readonly host: string;
  readonly reason: RefusalReason;
  /** The rule that denies it, or what may be sent. */
  readonly rule?: string;
  /** For a request: its method, host and path, and the rule about it or why it failed. */
  readonly request?: { readonly text: string; readonly about: string };
  /** Whether another command ran at the same time, so that it may have been the one that asked. */
  readonly mayBeOthers: boolean;
}

function hostReason(why: HostRefusal, isWeb: boolean): RefusalReason {
  if (typeof why === 'object') return 'spent' in why ? 'too-much' : 'denied';
  if (why === 'no address') return 'no-public-address';
  return isWeb ? 'closed' : 'not-a-web-host';
}

/** Maximum number of hosts to remember of one command. */
const MAXIMUM_HOSTS = 20;

function reasonOf({ refusal, failure }: AnsweredRequest): { readonly reason: RefusalReason; readonly about: string } | undefined {
  if (refusal !== undefined && 'deniedBy' in refusal) return { reason: 'denied-request', about: refusal.deniedBy };
  if (refusal !== undefined) return { reason: 'closed-request', about: refusal.allowedBy };
  return failure === undefined ? undefined : { reason: 'failed-request', about: failure };
}

/** The hosts that were refused while one command ran. */
export interface RefusalWatch extends Disposable {
  readonly hosts: () => readonly RefusedHost[];
  /** How often any host was refused. */
  readonly count: () => number;
}

/** Tells commands which hosts the proxy refused while they ran. */
export class RefusedHosts {
  readonly #open = new Set<{ readonly hosts: Map<string, RefusedHost>; count: number }>();

  /** Notes a refusal. Only the name of a host or an address is kept: what a client writes may be anything. */
  add(target: string, why: HostRefusal): void {
    const groups = ASKED.exec(target)?.groups;
    const host = groups?.['host']?.toLowerCase();
    const isName = host !== undefined && parseDomainRule(host) === host;
    const isWeb = isName && ['80', '443', undefined].includes(groups?.['port']);
    const rule = typeof why === 'object' ? { rule: 'spent' in why ? why.spent : why.deniedBy } : {};
    const reason = hostReason(why, isWeb);
    for (const watched of this.#open) {
      watched.count += 1;
      if (host === undefined || (typeof why !== 'object' && !isName && isIP(host) === 0) || watched.hosts.size >= MAXIMUM_HOSTS) continue;
      watched.hosts.set(host, { host, reason, ...rule, mayBeOthers: this.#open.size > 1 });
    }
  }

  /** Notes a request that did not succeed. */
  addRequest(request: AnsweredRequest): void {
    const found = reasonOf(request);
    if (found === undefined) return;
    const { host } = request;
    const text = requestText(request);
    for (const watched of this.#open) {
      watched.count += 1;
      if (watched.hosts.size >= MAXIMUM_HOSTS) continue;
      watched.hosts.set(text, { host, reason: found.reason, request: { text, about: found.about }, mayBeOthers: this.#open.size > 1 });
    }
  }

  /** Watches until it is disposed. What was seen stays readable. */
  watch(): RefusalWatch {
    const watched = { hosts: new Map<string, RefusedHost>(), count: 0 };
    this.#open.add(watched);
    return {
      hosts: () => [...watched.hosts.values()],
      count: () => watched.count,
      [Symbol.dispose]: () => void this.#open.delete(watched),
    };
  }
}
