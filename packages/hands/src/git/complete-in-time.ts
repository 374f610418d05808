import { isSynapseError } from '@synapse/protocol';

/** Waits for work. False where the deadline ended it, so that what it gave until then can be answered. */
export async function completeInTime(signal: AbortSignal, work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error === signal.reason && isSynapseError(error) && error.code === 'timeout') return false;
    throw error;
  }
}
