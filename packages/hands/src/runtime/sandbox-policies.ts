import { deniedPrograms, deniedReads, deniedWrites, deniesBelow } from '../policy/denied-writes.ts';
import { readsUsualNames, readVerdict } from '../policy/free-reads.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import type { HandsOptions } from './hands-options.ts';

interface PolicyParts {
  readonly options: HandsOptions;
  readonly policy: PolicyStore;
  readonly readable: ReadableRoots;
  /** Synapse's own folders. */
  readonly ownFolders: readonly string[];
}

/** What the sandbox hides from every process. */
export function commandPolicy({ ownFolders, policy }: PolicyParts): SandboxPolicy {
  const byRule = deniedReads(policy.current);
  return {
    hidden: ownFolders,
    // Like deny rules for writing, these do not change while hands are open.
    mayDenyBelow: deniesBelow(policy.current),
    deniesReadByRule: byRule,
    deniesRead: (path) => readVerdict(policy.current, path) !== 'allow',
    readsUsualNames: (folder) => readsUsualNames(policy.current, folder),
    // Without a rule, only the name of a file in the workspace is a reason to ask.
    hidesByName: (path) => readVerdict(policy.current, path) === 'ask' && byRule?.(path) !== true,
  };
}

/** The sandbox policy of commands, which may change files. */
export function writingPolicy({ options, policy, readable }: PolicyParts): Partial<SandboxPolicy> {
  return {
    judged: readable.folders,
    // Deny rules do not change while hands are open.
    deniesWrite: deniedWrites(policy.current),
    deniedPrograms: deniedPrograms(policy.current),
    allowProtected: new Set(options.allow).has('protected'),
    ...(options.network === undefined ? {} : { network: options.network }),
  };
}
