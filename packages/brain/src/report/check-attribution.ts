import type { Attribution } from './attribution.ts';
import { plainPath, type SeenCalls } from './seen-calls.ts';

/** Claims of a report that no call supports. */
export interface AttributionCheck {
  readonly unreadFiles: readonly string[];
  readonly uncalledTools: readonly string[];
  readonly ok: boolean;
}

/**
 * Checks the attribution of a report: lists files that no call read and tools that were not called.
 *
 * @param root the folder of the workspace, for absolute paths
 */
export function checkAttribution({ files_read: files, tool_calls: calls }: Attribution, seen: SeenCalls, root?: string): AttributionCheck {
  const read = new Set(Array.from(seen.filesRead, (path) => plainPath(path, root)));
  const unreadFiles = files.filter((path) => !read.has(plainPath(path, root)));
  const uncalledTools = Object.keys(calls).filter((name) => (seen.toolCalls.get(name) ?? 0) === 0);
  return { unreadFiles, uncalledTools, ok: unreadFiles.length === 0 && uncalledTools.length === 0 };
}
