import type { ScopedCall } from './call.ts';

/** Whether a call can be tried without doing it. What a tool does not declare is taken from what it needs. */
export function isRehearsable({ tool, permissions }: ScopedCall): boolean {
  return !(tool.outside ?? permissions.some(({ action }) => action === 'net' || action === 'mcp'));
}
