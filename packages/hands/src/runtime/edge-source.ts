import { isIP } from 'node:net';
import { hostGuard } from '../policy/host-guard.ts';
import { canonicalHost } from '../policy/host-pattern.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import type { EdgeSource } from '../sandbox/network/edge/edge-source.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { unseenValues } from '../secrets/unseen-values.ts';

interface EdgeParts {
  readonly secrets: SecretStore;
  readonly hasSecrets: () => boolean;
  readonly policy: PolicyStore;
  /** Called with secrets that no record may contain. */
  readonly onSecrets: (values: readonly string[]) => void;
}

/** The rule about a whole host or address that denies it, or asks about it. */
function strictRule({ current }: PolicyStore, host: string, verdict: 'denying' | 'asking'): string | undefined {
  const access = { kind: 'net', host: canonicalHost(isIP(host) === 6 ? `[${host}]` : host), exec: undefined } as const;
  return current[verdict].find(
    (rule) =>
      rule.action === 'fetch' &&
      rule.requests === undefined &&
      (rule.expiresAt === undefined || rule.expiresAt > current.now()) &&
      rule.covers(access, 'run_command') === 'yes',
  )?.text;
}

/** Where the network of commands finds secrets, and rules about requests. */
export function edgeSource({ secrets, hasSecrets, policy, onSecrets }: EdgeParts): EdgeSource {
  return {
    exist: hasSecrets,
    async secrets() {
      const list = await secrets.list();
      onSecrets(list.flatMap(unseenValues));
      return list;
    },
    opensLocal: (host) => hostGuard({ tool: 'run_command', permissions: [] }, policy.current).opensLocal(host),
    denied: () =>
      [...policy.current.denying, ...policy.current.asking].flatMap(({ requests, text, verdict, expiresAt }) => {
        if (requests === undefined || (expiresAt !== undefined && expiresAt <= policy.current.now())) return [];
        const { isAbout, pattern } = requests;
        return [{ text, asks: verdict === 'ask', isAbout, mayCover: (method: string, path: string) => pattern.mayCover(method, path) }];
      }),
    granted() {
      // Another process may have got an answer.
      policy.refresh();
      return policy.current.allowing.flatMap(({ layer, requests, expiresAt }) => {
        if (layer !== 'grant' || requests === undefined || (expiresAt !== undefined && expiresAt <= policy.current.now())) return [];
        const { isAbout, pattern } = requests;
        const isWhole = pattern.methods === undefined && pattern.path === '/**';
        return [{ isAbout, isWhole, covers: (method: string, path: string) => pattern.covers(method, path) }];
      });
    },
    asksAbout: (host) => strictRule(policy, host, 'denying') === undefined && strictRule(policy, host, 'asking') !== undefined,
    deniedBy: (host, approved) => strictRule(policy, host, 'denying') ?? (approved.has(host) ? undefined : strictRule(policy, host, 'asking')),
  };
}
