import { isSynapseError, SynapseError } from '@synapse/protocol';
import type { Approver } from '../approval/approver.ts';
import type { ShownQuestion } from '../approval/ask-approver.ts';
import type { CommandEnvironment } from '../policy/command-route.ts';
import type { PolicyCall } from '../policy/decision.ts';
import type { Effects } from '../policy/effects.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { isSpillHandle, parseWorkspacePath } from '../workspace/workspace-path.ts';
import type { CheckedCall, ValidCall } from '../call/call.ts';

/** What permissions are checked against. */
export interface Scope {
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly spills: SpillStore;
  readonly readable: ReadableRoots;
  /** Aborted when the hands close. */
  readonly closing: AbortSignal;
}

/** Everything that decides whether calls may run. */
export interface Authorizer {
  readonly policy: PolicyStore;
  /** Undefined if no approver is set. */
  readonly approver: Approver | undefined;
  /** What approvers get of a question. */
  readonly shown: ShownQuestion;
  readonly closing: AbortSignal;
  /** The available sandbox and routes for commands. Evaluated only for calls that run some. The signal ends the wait. */
  readonly machine: (signal: AbortSignal) => Promise<CommandEnvironment>;
  /** Why the configuration runs a command on the workspace itself; undefined if it does not. Missing if it names no commands. */
  readonly runsLive: ((effects: Effects) => string | undefined) | undefined;
}

/** The refusal of closed hands: their resources are gone, or reused by others. */
export function assertOpen(closing: AbortSignal): void {
  if (!closing.aborted) return;
  throw new SynapseError('unavailable', 'These hands are closed.', { hint: 'Open new hands on the folder.' });
}

/** Determines the permissions of a call, after checking that the hands are open and the workspace exists. */
export function checkPermissions(call: ValidCall, { confinement, closing }: Scope): CheckedCall {
  assertOpen(closing);
  // The handle of a deleted folder would still work, on an invisible folder.
  if (!confinement.exists()) {
    throw new SynapseError('unavailable', 'Project no longer exists', {
      hint: 'Open the hands again on a folder that does.',
      details: { reason: 'workspace_gone' },
    });
  }
  const permissions = call.tool.permission(call.arguments);
  call.state.permissions = permissions;
  return { ...call, permissions };
}

/** Refuses paths outside the workspace. No permission can allow them, so this is never a question. */
export function checkPlaces(call: CheckedCall, { rootNames, readable }: Scope): CheckedCall {
  for (const { action, resource } of call.permissions) {
    if (action === 'read' && resource.startsWith('/') && readable.covers(resource)) continue;
    if ((action === 'read' || action === 'write') && !isSpillHandle(resource)) parseWorkspacePath(resource, rootNames);
  }
  return call;
}

/** The error of {@link checkPlaces} for a path outside; undefined if it accepts the call. */
export function outsideProblem(call: CheckedCall, scope: Scope): SynapseError | undefined {
  try {
    checkPlaces(call, scope);
    return undefined;
  } catch (error) {
    if (isSynapseError(error) && error.code === 'outside_workspace') return error;
    throw error;
  }
}

/** The first command opens the sandbox, which keeps what jobs left and may take long. */
async function lookAtMachine(look: Authorizer['machine'], tool: string, signal: AbortSignal): Promise<CommandEnvironment> {
  try {
    return await look(signal);
  } catch (error) {
    if (signal.aborted && !isSynapseError(error)) throw new SynapseError('cancelled', `${tool} was cancelled.`);
    throw error;
  }
}

/** A call as input for the policy, with the available routes for its commands. */
export async function policyCall(
  { tool, permissions, arguments: given, options }: Pick<CheckedCall, 'tool' | 'permissions' | 'arguments' | 'options'>,
  { machine: lookAround, runsLive, closing }: Pick<Authorizer, 'machine' | 'runsLive' | 'closing'>,
): Promise<PolicyCall> {
  const call: PolicyCall = { tool: tool.name, permissions, arguments: given, restores: tool.restores === true };
  if (!permissions.some(({ action }) => action === 'exec')) return call;
  const found = await lookAtMachine(lookAround, tool.name, options.signal === undefined ? closing : AbortSignal.any([options.signal, closing]));
  const machine = options.shell === undefined ? found : { ...found, bash: false };
  const confined = machine.sandbox === 'works';
  if (tool.runs === undefined) return { ...call, machine, confined };
  const asked = tool.runs.live(given);
  return { ...call, machine, confined, wish: { live: (effects) => asked ?? runsLive?.(effects), asksFirst: options.asksFirst ?? 'none' } };
}
