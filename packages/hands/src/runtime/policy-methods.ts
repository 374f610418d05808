import { isFolderOfRepository } from '../git/repository-above.ts';
import { policyReport, revokeGrants } from '../policy/policy-report.ts';
import { likelySandbox } from '../sandbox/likely-sandbox.ts';
import { homeOfWorktree } from '../sandbox/view/outside-repository.ts';
import { describeConstraints } from './describe-constraints.ts';
import type { Hands } from './hands.ts';
import type { HandsOptions } from './hands-options.ts';
import type { Runtime } from './runtime.ts';

/**
 * The methods about what these hands may do.
 *
 * @param onMode called when their mode changed
 */
export function policyMethods(
  options: HandsOptions,
  { authorizer, confinement: { root }, commands, powers }: Runtime,
  onMode = (): void => {},
): Pick<Hands, 'constraints' | 'policy' | 'limitMode' | 'revoke'> {
  const { policy } = authorizer;
  return {
    constraints: ({ canAsk = options.approver !== undefined } = {}) =>
      describeConstraints({
        mode: policyReport(policy).mode,
        canAsk,
        network: options.network ?? 'off',
        sandbox: likelySandbox(options.sandbox),
        copies: commands.undoes,
        inRepository: isFolderOfRepository(root),
        worktreeOf: commands.undoes && powers.linked !== undefined ? undefined : homeOfWorktree(root),
      }),
    policy: () => policyReport(policy),
    limitMode(mode) {
      const inForce = policy.limitMode(mode);
      onMode();
      return inForce;
    },
    revoke: (which) => revokeGrants(policy, which),
  };
}
