import type { CallOptions } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import type { RemoteCallOptions } from './remote-hands.ts';

/** The options of calls here and at local hands: a program may give the same to both. */
const NAMES: { readonly [Name in keyof Required<CallOptions & RemoteCallOptions>]: true } = {
  approvalTimeoutMs: true,
  approver: true,
  asksFirst: true,
  callId: true,
  calledAs: true,
  changesOf: true,
  dryRun: true,
  dryRunFor: true,
  foreground: true,
  inDryRun: true,
  limits: true,
  mayCall: true,
  mode: true,
  onApproval: true,
  onOutput: true,
  onProgress: true,
  parents: true,
  queueMs: true,
  readerLimits: true,
  remote: true,
  sessionId: true,
  shell: true,
  signal: true,
  stepId: true,
  timeoutMs: true,
  workspace: true,
};

/**
 * What is wrong with the options of a call; undefined if nothing is. In a program without types, a misspelled `dryRun` would let the machine do
 * what it was only to report.
 */
export function optionsProblem(given: object): SynapseError | undefined {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(NAMES, name));
  if (unknown !== undefined) {
    const meant = Object.keys(NAMES).find((name) => name.toLowerCase() === unknown.toLowerCase().replaceAll('_', ''));
    const hint = meant === undefined ? `The options are: ${Object.keys(NAMES).join(', ')}.` : `Did you mean ${meant}?`;
    return new SynapseError('invalid_arguments', `A call has no option ${JSON.stringify(unknown.slice(0, 64))}.`, { hint });
  }
  const { dryRun }: { readonly dryRun?: unknown } = given;
  if (dryRun === undefined || typeof dryRun === 'boolean') return undefined;
  return new SynapseError('invalid_arguments', 'The option dryRun of a call must be a boolean.');
}
