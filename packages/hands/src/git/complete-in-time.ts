import { isSynapseError } from '@synapse/protocol';

/** Waits for work. Returns false if the deadline ended it, so that the partial result can be returned. */
export async function completeInTime(signal: AbortSignal, work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error === signal.reason && isSynapseError(error) && error.code === 'timeout') return false;
    throw error;
  }
}
