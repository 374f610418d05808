import type { Attribution } from './attribution.ts';

/** What calls really did, as the audit or a session tells. */
export interface SeenCalls {
  /** Paths that a call read, relative to the workspace. */
  readonly filesRead: ReadonlySet<string>;
  /** Calls made, by tool. */
  readonly toolCalls: ReadonlyMap<string, number>;
}

/** What a report claims and no call shows. */
export interface AttributionCheck {
  readonly unreadFiles: readonly string[];
  readonly uncalledTools: readonly string[];
  readonly ok: boolean;
}

const plain = (path: string): string => path.replace(/^\.\//u, '').replace(/:\d+(?:-\d+)?$/u, '');

/** Holds the attribution of a report against the calls that were made: a file that no call read is marked. */
export function checkAttribution({ files_read: files, tool_calls: calls }: Attribution, seen: SeenCalls): AttributionCheck {
  const read = new Set(Array.from(seen.filesRead, plain));
  const unreadFiles = files.filter((path) => !read.has(plain(path)));
  const uncalledTools = Object.keys(calls).filter((name) => (seen.toolCalls.get(name) ?? 0) === 0);
  return { unreadFiles, uncalledTools, ok: unreadFiles.length === 0 && uncalledTools.length === 0 };
}
