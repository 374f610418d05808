import { SynapseError } from '@synapse/protocol';
import { ownResult, type BrainEffect, type FinishedCall } from '@synapse/protocol/remote';

export const REUSED = new SynapseError('conflict', 'This call id was used for another call.', { hint: 'Use a new call id for a new call.' });

const REUSED_THERE = new SynapseError('conflict', 'The relay says that this call id was used for another call.', {
  hint: 'Only the machine knows whether this call ran. Look before you repeat it with a new call id.',
});

export const OLD_MACHINE = new SynapseError('unavailable', 'The machine is of an earlier version, and serves one workspace.', {
  hint: 'Update Synapse there, or name no workspace.',
});

/** What to do about a call whose connection ended for good. */
export const SENT = 'The call was sent before, so it may have run. Look before you repeat it.';
export const UNCONFIRMED = new SynapseError('cancelled', 'The call was cancelled, and the machine does not confirm it.', { hint: SENT });

export const notOpen = (id: string): SynapseError =>
  new SynapseError('not_found', `No open call: ${JSON.stringify(id.slice(0, 64))}`, { hint: 'openCalls() lists them.' });

/** Converts a refusal of the machine or the relay to an error. */
export function refusal({ code, message, unsure, call }: Extract<BrainEffect, { type: 'refuse' }>): SynapseError {
  // Such a machine does not know the workspace, which the hash has.
  if (code === 'malformed' && call.call.workspace !== undefined) return OLD_MACHINE;
  if (code === 'id_reuse') return unsure === true ? REUSED_THERE : REUSED;
  return new SynapseError(code === 'denied' ? 'denied' : 'invalid_arguments', message);
}

/** The same as a result to keep. */
export function refusedResult(effect: Parameters<typeof refusal>[0]): FinishedCall {
  const { code, message } = refusal(effect);
  return ownResult(code === 'denied' ? 'denied' : 'error', `Error: ${message}`);
}
