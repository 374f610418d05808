import type { ErrorCode } from '@synapse/protocol';
import { auditFolder, listSegments } from './audit-folder.ts';
import type { EndRecord } from './audit-record.ts';
import { linesBackwards } from './lines-backwards.ts';
import { parseRecord } from './query-audit.ts';

/** Failures that a brain doing its work has no reason to run into. */
const SUSPICIOUS: ReadonlySet<ErrorCode | undefined> = new Set(['outside_workspace', 'denied']);

/** Calls that tried to leave the workspace, or to reach what is denied or protected, newest first. */
export function suspiciousAttempts(stateFolder: string, root: string, limit: number): EndRecord[] {
  const attempts: EndRecord[] = [];
  for (const segment of listSegments(auditFolder(stateFolder, root)).toReversed()) {
    for (const { text } of linesBackwards(segment.path, ['"ok":false'])) {
      if (attempts.length >= limit) return attempts;
      const record = parseRecord(text);
      if (record?.type !== 'end' || record.ok) continue;
      if (SUSPICIOUS.has(record.code) || record.guard !== undefined) attempts.push(record);
    }
  }
  return attempts;
}
