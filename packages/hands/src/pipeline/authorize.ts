import { SynapseError, type PermissionAction } from '@synapse/protocol';
import type { AuthorizedCall, ValidCall } from './call.ts';

/** What whoever opened the hands permits beyond reading. `protected` is for files that other programs execute. */
export const GRANTS = ['write', 'exec', 'protected'] as const;
export type Grant = (typeof GRANTS)[number];

/** The grant that an action takes; reading takes none. */
const NEEDED: Record<PermissionAction, Grant | undefined> = {
  read: undefined,
  write: 'write',
  exec: 'exec',
  net: 'exec',
  mcp: 'exec',
};

const DOING: Record<Grant, string> = { write: 'changing files', exec: 'running commands', protected: 'changing protected files' };

/** Lets a call through whose permissions are all granted. */
export function authorize(call: ValidCall, grants: ReadonlySet<Grant>): AuthorizedCall {
  const permissions = call.tool.permission(call.arguments);
  call.facts.permissions = permissions;
  for (const { action } of permissions) {
    const grant = NEEDED[action];
    if (grant === undefined || grants.has(grant)) continue;
    throw new SynapseError('approval_required', `${call.tool.name} needs approval: ${DOING[grant]} is not allowed yet, and nothing was done.`, {
      hint: `A person can allow it: --yes (CLI), --allow ${grant} (MCP server) or allow: ["${grant}"] (library).`,
      details: { permissions },
    });
  }
  return { ...call, permissions };
}
