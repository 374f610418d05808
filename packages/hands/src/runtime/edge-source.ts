import { isIP } from 'node:net';
import { hostGuard } from '../policy/host-guard.ts';
import { canonicalHost } from '../policy/host-pattern.ts';
import type { Rule } from '../policy/rule.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import type { EdgeSource } from '../sandbox/network/edge/command-edge.ts';
import type { SecretStore } from '../secrets/secret-store.ts';

interface EdgeParts {
  readonly secrets: SecretStore;
  readonly hasSecrets: () => boolean;
  readonly policy: PolicyStore;
  /** Called with secrets that no record may contain. */
  readonly onSecrets: (values: readonly string[]) => void;
}

/** Where the network of commands finds secrets, and rules about requests. */
export function edgeSource({ secrets, hasSecrets, policy, onSecrets }: EdgeParts): EdgeSource {
  return {
    exist: hasSecrets,
    secrets() {
      const list = secrets.list();
      onSecrets(list.map(({ value }) => value));
      return list;
    },
    opensLocal: (host) => hostGuard({ tool: 'run_command', permissions: [] }, policy.current).opensLocal(host),
    denied: () =>
      [...policy.current.denying, ...policy.current.asking].flatMap(({ requests, text, expiresAt }) => {
        if (requests === undefined || (expiresAt !== undefined && expiresAt <= policy.current.now())) return [];
        const { isAbout, pattern } = requests;
        return [{ text, isAbout, mayCover: (method: string, path: string) => pattern.mayCover(method, path) }];
      }),
    deniedBy(host, approved) {
      const { denying, asking, now } = policy.current;
      const access = { kind: 'net', host: canonicalHost(isIP(host) === 6 ? `[${host}]` : host), exec: undefined } as const;
      const isAbout = (rule: Rule): boolean =>
        rule.action === 'fetch' &&
        rule.requests === undefined &&
        (rule.expiresAt === undefined || rule.expiresAt > now()) &&
        rule.covers(access, 'run_command') === 'yes';
      return (denying.find(isAbout) ?? (approved.has(host) ? undefined : asking.find(isAbout)))?.text;
    },
  };
}
