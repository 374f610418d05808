import { SynapseError } from '@synapse/protocol';

/** Returns the error for an invalid configuration. Nothing starts with a policy that cannot be read. */
export function policyError(problems: readonly string[]): SynapseError {
  return new SynapseError('invalid_arguments', `Invalid policy, so nothing starts:\n${problems.join('\n')}`, {
    hint: 'Fix these lines. An invalid policy is never treated as an empty one.',
    details: { problems },
  });
}
