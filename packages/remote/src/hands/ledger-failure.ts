import { SynapseError } from '@synapse/protocol';

/** The error that ends a session whose ledger cannot be written. */
export const ledgerFailure = (cause: unknown): SynapseError =>
  new SynapseError('unavailable', 'The ledger of this session cannot be written. Calls are refused.', {
    hint: 'See that the state folder can be written and its disk is not full, then connect again.',
    cause,
  });
