import type { AuditedCall } from '@synapse/hands/internal';

/** Calls that one call made, such as a program: the newest are listed, and the others counted. */
export interface FoldedCalls {
  /** The call that made them. */
  readonly parent: string;
  readonly more: number;
}

/** Maximum number of calls of one call that are listed. */
const MAX_NESTED = 3;

const isCall = (row: AuditedCall | FoldedCalls): row is AuditedCall => !('more' in row);

/**
 * The newest calls, oldest first. A program may make thousands, which would hide all else.
 *
 * @param calls newest first
 * @param limit maximum number of rows
 */
export function foldNested(calls: Iterable<AuditedCall>, limit: number): Array<AuditedCall | FoldedCalls> {
  const rows: Array<AuditedCall | FoldedCalls> = [];
  const nested = new Map<string, { listed: number; at: number | undefined }>();
  for (const call of calls) {
    const { parent } = call.start;
    const known = parent === undefined ? undefined : (nested.get(parent) ?? { listed: 0, at: undefined });
    if (parent !== undefined && known !== undefined) nested.set(parent, known);
    const folded = known?.at === undefined ? undefined : rows[known.at];
    if (known !== undefined && parent !== undefined && known.listed >= MAX_NESTED) {
      if (known.at === undefined || folded === undefined || isCall(folded)) {
        if (rows.length >= limit) break;
        known.at = rows.push({ parent, more: 1 }) - 1;
      } else rows[known.at] = { parent, more: folded.more + 1 };
      continue;
    }
    if (rows.length >= limit) break;
    if (known !== undefined) known.listed += 1;
    rows.push(call);
  }
  return rows.toReversed();
}
