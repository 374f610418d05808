import { isIP } from 'node:net';
import { parseDomainRule } from './host-rules.ts';

/** Why the proxy did not connect to a host: no rule opens it, none of its addresses may be reached, or it is no host by name on a web port. */
export type RefusalReason = 'closed' | 'no-public-address' | 'not-a-web-host';

/** A host that the proxy refused to a command. */
export interface RefusedHost {
  readonly host: string;
  readonly reason: RefusalReason;
  /** Whether another command ran at the same time, so that it may have been the one that asked. */
  readonly mayBeOthers: boolean;
}

/** Maximum number of hosts to remember of one command. */
const MAXIMUM_HOSTS = 20;
/** The host in what a client asked for, as `host:port` or as a URL. */
const ASKED = /^(?:https?:\/\/)?(?:[^@/\s]*@)?(?<host>[\w.-]{1,253})(?::(?<port>\d{1,5}))?(?:[/?]|$)/iu;

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
  add(target: string, isOpen: boolean): void {
    const groups = ASKED.exec(target)?.groups;
    const host = groups?.['host']?.toLowerCase();
    const isName = host !== undefined && parseDomainRule(host) === host;
    const isWeb = isName && ['80', '443', undefined].includes(groups?.['port']);
    const reason = isOpen ? 'no-public-address' : isWeb ? 'closed' : 'not-a-web-host';
    for (const watched of this.#open) {
      watched.count += 1;
      if (host === undefined || (!isName && isIP(host) === 0) || watched.hosts.size >= MAXIMUM_HOSTS) continue;
      watched.hosts.set(host, { host, reason, mayBeOthers: this.#open.size > 1 });
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
