import type { WorkspacePath } from './workspace-path.ts';

/** A path as text in which one character stands for one byte (latin1), as the detector and the index name places. */
export function bytePath(location: WorkspacePath): string {
  return location.map((name) => (typeof name === 'string' ? Buffer.from(name) : name).toString('latin1')).join('/');
}
