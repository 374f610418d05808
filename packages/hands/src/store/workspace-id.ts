import { hash } from 'node:crypto';

/** The name of a workspace's own folders in the state folder. */
export function workspaceId(root: string): string {
  return hash('sha256', root, 'hex').slice(0, 16);
}
