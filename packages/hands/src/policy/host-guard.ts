import type { Permission } from '@synapse/protocol';
import { decide } from './decide.ts';
import { reasonFor } from './decision.ts';
import { canonicalHost } from './host-pattern.ts';
import type { Policy } from './policy.ts';

/** Judges the hosts that a call turns out to lead to. */
export interface HostGuard {
  /** Why the call may not go to an address without a new decision; undefined where it may. */
  refusal(url: string): string | undefined;
  /** Whether a rule names the host in a way that opens this machine and its networks to it. */
  opensLocal(host: string): boolean;
}

/**
 * The address of a call was judged before it began, and a redirect leads elsewhere: another host is gone to only
 * where rules alone allow it. Whoever was asked about one host was not asked about the next.
 */
export function hostGuard({ tool, permissions }: { readonly tool: string; readonly permissions: readonly Permission[] }, policy: Policy): HostGuard {
  const judged = new Set(permissions.filter(({ action }) => action === 'net').map(({ resource }) => canonicalHost(resource)));
  return {
    refusal(url) {
      const host = canonicalHost(url);
      if (host !== undefined && judged.has(host)) return undefined;
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
