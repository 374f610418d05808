import { grantIn, namesTool, type Grants } from '@synapse/protocol/remote';
import type { ConnectOptions } from './connect-options.ts';

/** A workspace of a call, and the device that made it. */
export interface Asked {
  readonly owner: string | undefined;
  readonly workspace: string | undefined;
}

/** Whether a paired device may approve a call of its owner to a tool. */
export function mayApprove(grants: Grants | undefined, { owner, workspace }: Asked, tool: string): boolean {
  return [...(grants ?? [])].some(([id, grant]) => {
    const { role, approves = [] } = grantIn(grant, workspace) ?? {};
    return role === 'approver' || (id === owner && namesTool(approves, tool));
  });
}

/** Whether anyone can approve calls in a workspace: at this machine, at a brain, or at another paired device. */
export function canAsk(
  grants: Grants | undefined,
  workspace: string | undefined,
  { approver, brainApproves }: Pick<ConnectOptions, 'approver' | 'brainApproves'>,
): boolean {
  const hasApprover = [...(grants ?? [])].some(([, grant]) => {
    const { role, approves = [] } = grantIn(grant, workspace) ?? {};
    return role === 'approver' || approves.length > 0;
  });
  return approver !== undefined || brainApproves !== undefined || hasApprover;
}
