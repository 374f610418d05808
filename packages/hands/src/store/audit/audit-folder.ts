import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceId } from '../workspace-id.ts';

const SEGMENT = /^audit-(\d{6})\.jsonl$/u;

/** One of the files that a log consists of. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/** The folder that holds the log of a workspace. */
export function auditFolder(stateFolder: string, root: string): string {
  return join(stateFolder, 'audit', workspaceId(root));
}

/** Makes the folder of a log, for its owner alone. */
export function makeAuditFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `audit-${String(number).padStart(6, '0')}.jsonl`);
}

/** The files of a log, oldest first; none where nothing was ever recorded. */
export function listSegments(folder: string): Segment[] {
  const segments: Segment[] = [];
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // No folder, or none that can be read: there is no log to be had from here.
    return [];
  }
  for (const name of names) {
    const number = SEGMENT.exec(name)?.[1];
    const stat = number === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined) segments.push({ number: Number(number), path: join(folder, name), bytes: stat.size, modified: stat.mtimeMs });
  }
  return segments.toSorted((a, b) => a.number - b.number);
}
