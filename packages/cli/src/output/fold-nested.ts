import type { AuditedCall } from '@synapse/hands/internal';

/** Calls that one call made, such as a program: the newest are listed, and the others counted. */
export interface FoldedCalls {
  /** The call that made them. */
  readonly parent: string;
  readonly more: number;
}

/** Maximum number of calls of one call that are listed. */
const MAX_NESTED = 3;

/** The calls of one call, as far as they were seen. */
interface Family {
  readonly parent: string;
  listed: number;
  /** The row of those that are not listed. */
  folded: { readonly parent: string; more: number } | undefined;
}

function familyOf(families: Map<string, Family>, parent: string): Family {
  const family = families.get(parent) ?? { parent, listed: 0, folded: undefined };
  families.set(parent, family);
  return family;
}

/**
 * The newest calls, oldest first. A program may make thousands, which would hide all else.
 *
 * @param calls newest first
 * @param limit maximum number of rows
 */
export function foldNested(calls: Iterable<AuditedCall>, limit: number): Array<AuditedCall | FoldedCalls> {
  const rows: Array<AuditedCall | FoldedCalls> = [];
  const families = new Map<string, Family>();
  for (const call of calls) {
    const { parent } = call.start;
    const family = parent === undefined ? undefined : familyOf(families, parent);
    if (family?.folded !== undefined) {
      family.folded.more += 1;
      continue;
    }
    if (rows.length >= limit) break;
    if (family !== undefined && family.listed >= MAX_NESTED) {
      family.folded = { parent: family.parent, more: 1 };
      rows.push(family.folded);
      continue;
    }
    if (family !== undefined) family.listed += 1;
    rows.push(call);
  }
  return rows.toReversed();
}
