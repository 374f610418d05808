import { grantIn, namesTool, type Grants, type MachineGrant } from '@synapse/protocol/remote';
import type { ConnectOptions } from './connect-options.ts';

/** A workspace of a call, and the device that made it. */
export interface Asked {
  readonly owner: string | undefined;
  readonly workspace: string | undefined;
}

/** What a device may do in a workspace now. */
function grantNow(grant: MachineGrant, workspace: string | undefined, now: number): ReturnType<typeof grantIn> {
  const here = grantIn(grant, workspace);
  return here !== undefined && now < here.expires ? here : undefined;
}

/** Whether a paired device may approve a call of its owner to a tool. */
export function mayApprove(grants: Grants | undefined, { owner, workspace }: Asked, tool: string, now: number): boolean {
  return [...(grants ?? [])].some(([id, grant]) => {
    const { role, approves = [] } = grantNow(grant, workspace, now) ?? {};
    return role === 'approver' || (id === owner && namesTool(approves, tool));
  });
}

/** Whether anyone can approve calls in a workspace: at this machine, at a brain, or at another paired device. */
export function canAsk(
  grants: Grants | undefined,
  workspace: string | undefined,
  { approver, brainApproves }: Pick<ConnectOptions, 'approver' | 'brainApproves'>,
  now: number,
): boolean {
  const hasApprover = [...(grants ?? [])].some(([, grant]) => {
    const { role, approves = [] } = grantNow(grant, workspace, now) ?? {};
    return role === 'approver' || approves.length > 0;
  });
  return approver !== undefined || brainApproves !== undefined || hasApprover;
}
