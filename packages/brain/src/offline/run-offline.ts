import type { Hands } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { resurrect } from '../resurrect/resurrect.ts';
import type { OfflineOptions, OfflineReport } from '../resurrect/run-steps.ts';
import { explainCodebase } from './explain-codebase.ts';
import { reviewChanges } from './review-changes.ts';

/** The protocols that run without a model, by id. */
const OFFLINE: Readonly<Record<string, (hands: Hands, options: OfflineOptions) => Promise<OfflineReport>>> = {
  'project-resurrection': resurrect,
  'review-changes': reviewChanges,
  'explain-codebase': explainCodebase,
};

/** Whether a protocol runs without a model. */
export function runsOffline(protocolId: string): boolean {
  return Object.hasOwn(OFFLINE, protocolId);
}

/**
 * Runs a built-in protocol without a model. It only reads, and it reports facts only.
 *
 * @throws SynapseError `invalid_arguments` for a protocol that needs a model
 * @example
 * const { report } = await runOffline(hands, 'review-changes');
 */
export async function runOffline(hands: Hands, protocolId: string, options: OfflineOptions = {}): Promise<OfflineReport> {
  const run = Object.hasOwn(OFFLINE, protocolId) ? OFFLINE[protocolId] : undefined;
  if (run !== undefined) return await run(hands, options);
  throw new SynapseError('invalid_arguments', `Protocol needs a model: ${protocolId.slice(0, 80)}`, {
    hint: `Pass --model. Without a model run: ${Object.keys(OFFLINE).join(', ')}.`,
  });
}
