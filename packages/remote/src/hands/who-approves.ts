import { namesTool, type Grants } from '@synapse/protocol/remote';
import type { ConnectOptions } from './connect-options.ts';

/** Whether a paired device may approve a call of its owner to a tool. */
export function mayApprove(grants: Grants | undefined, owner: string | undefined, tool: string): boolean {
  return [...(grants ?? [])].some(([id, { role, approves }]) => role === 'approver' || (id === owner && namesTool(approves, tool)));
}

/** Whether anyone can approve calls: at this machine, at a brain, or at another paired device. */
export function canAsk(grants: Grants | undefined, { approver, brainApproves }: Pick<ConnectOptions, 'approver' | 'brainApproves'>): boolean {
  const hasApprover = [...(grants ?? [])].some(([, { role, approves }]) => role === 'approver' || approves.length > 0);
  return approver !== undefined || brainApproves !== undefined || hasApprover;
}
