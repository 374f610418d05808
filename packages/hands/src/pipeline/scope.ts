import { SynapseError } from '@synapse/protocol';
import type { Confinement } from '../workspace/confinement.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import type { SpillStore } from '../workspace/spill-store.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';
import type { ScopedCall, ValidCall } from './call.ts';

/** What a call may be about. */
export interface Scope {
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly spills: SpillStore;
  readonly readable: ReadableRoots;
  /** Aborted when the hands close. */
  readonly closing: AbortSignal;
}

/** The refusal of hands that were closed: what they would use is gone, or may by now be that of somebody else. */
export function assertOpen(closing: AbortSignal): void {
  if (!closing.aborted) return;
  throw new SynapseError('unavailable', 'These hands are closed.', { hint: 'Open new ones on the folder, and use them until they are disposed.' });
}

/**
 * Learns what a call needs, and refuses what no permission could give: hands that are closed, a workspace that is
 * gone, or a path that names a place outside. Nobody is asked about those.
 */
export function scope(call: ValidCall, { confinement, rootNames, spills, readable, closing }: Scope): ScopedCall {
  assertOpen(closing);
  // The handle of a deleted folder would still work, on a folder nobody can see.
  if (!confinement.exists()) {
    throw new SynapseError('unavailable', 'Project no longer exists', {
      hint: 'Open the hands again on a folder that does.',
      details: { reason: 'workspace_gone' },
    });
  }
  const permissions = call.tool.permission(call.arguments);
  call.facts.permissions = permissions;
  for (const { action, resource } of permissions) {
    if (action === 'read' && readable.covers(resource)) continue;
    if ((action === 'read' || action === 'write') && spills.resolve(resource) === undefined) parseWorkspacePath(resource, rootNames);
  }
  return { ...call, permissions };
}
