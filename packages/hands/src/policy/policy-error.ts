import { SynapseError } from '@synapse/protocol';

/** What a broken configuration is refused with; nothing starts on a policy that could not be read. */
export function policyError(problems: readonly string[]): SynapseError {
  return new SynapseError('invalid_arguments', `The policy is wrong, so nothing is started:\n${problems.join('\n')}`, {
    hint: 'Correct these places; a broken policy never counts as an empty one.',
    details: { problems },
  });
}
