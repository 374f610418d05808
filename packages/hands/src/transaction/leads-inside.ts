import { posix } from 'node:path';
import type { Name } from '../workspace/byte-name.ts';
import { isInside, type WorkspacePath } from '../workspace/workspace-path.ts';

/** Whether the text of a link names a path in the workspace. Further links on that path are checked when it is used. */
export function leadsInside(location: WorkspacePath, target: Name, root: string): boolean {
  // Latin-1 keeps one character per byte. Only dots and slashes matter here.
  const text = typeof target === 'string' ? target : target.toString('latin1');
  if (text.startsWith('/')) return isInside(posix.normalize(text), [root]);
  const folder = location.slice(0, -1).map((name) => (typeof name === 'string' ? name : name.toString('latin1')));
  // Relative to the top of the workspace, so a path above it starts with `..`.
  const path = posix.normalize([...folder, text].join('/'));
  return path !== '..' && !path.startsWith('../');
}
