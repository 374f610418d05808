import type { Permission } from '@synapse/protocol';
import { decide } from './decide.ts';
import { reasonFor } from './decision.ts';
import { canonicalHost } from './host-pattern.ts';
import type { Policy } from './policy.ts';

/** Judges the hosts that a call reaches. */
export interface HostGuard {
  /** Returns why the call may not connect to an address without a new decision; undefined if it may. */
  refusal(url: string): string | undefined;
  /** Whether a rule names the host explicitly enough to allow this machine and its networks. */
  opensLocal(host: string): boolean;
}

/**
 * Judges redirects. The address of a call is judged before it starts. A redirect to another host is followed only if rules
 * alone allow it. Approval of one host is not approval of the next.
 */
export function hostGuard({ tool, permissions }: { readonly tool: string; readonly permissions: readonly Permission[] }, policy: Policy): HostGuard {
  const judged = new Set(permissions.filter(({ action }) => action === 'net').map(({ resource }) => canonicalHost(resource)));
  return {
    refusal(url) {
      const host = canonicalHost(url);
      // A rule about requests of this host may cover the first address, and not the next.
      const isRuled = policy.rules.some(({ requests }) => requests?.isAbout(host) === true);
      if (host !== undefined && judged.has(host) && !isRuled) return undefined;
      const decision = decide(policy, { tool, permissions: [{ action: 'net', resource: url }] });
      return decision.verdict === 'allow' ? undefined : reasonFor(decision.decisive);
    },
    opensLocal: (host) =>
      policy.allowing.some(
        (rule) =>
          rule.opensGuarded &&
          (rule.expiresAt === undefined || rule.expiresAt > policy.now()) &&
          rule.covers({ kind: 'net', host, exec: undefined }, tool) === 'yes',
      ),
  };
}
