import { SynapseError } from '@synapse/protocol';
import type { Confinement } from '../workspace/confinement.ts';

/** Refuses a call whose workspace is gone: its handle would still work, on a folder nobody can see. */
export function scope<Call>(call: Call, confinement: Confinement): Call {
  if (confinement.exists()) return call;
  throw new SynapseError('unavailable', 'The workspace folder no longer exists.', {
    hint: 'Open the hands again on a folder that does.',
    details: { reason: 'workspace_gone' },
  });
}
