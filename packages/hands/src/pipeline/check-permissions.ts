import { isSynapseError, SynapseError } from '@synapse/protocol';
import type { Confinement } from '../workspace/confinement.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';
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
export function checkPlaces(call: CheckedCall, { rootNames, spills, readable }: Scope): CheckedCall {
  for (const { action, resource } of call.permissions) {
    if (action === 'read' && readable.covers(resource)) continue;
    if ((action === 'read' || action === 'write') && spills.resolve(resource) === undefined) parseWorkspacePath(resource, rootNames);
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
