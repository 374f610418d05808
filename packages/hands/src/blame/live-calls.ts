import { queryAuditFolder, type AuditedCall } from '../audit/query-audit.ts';
import type { JournalEntry } from '../journal/journal-database.ts';
import { describeStep, type RecordedChange } from '../workspace/changes/step.ts';

/**
 * Finds the calls of programs that changed the workspace one by one, as they do in a branch. In the journal such changes are of the program.
 *
 * @param log the folder of the audit log
 */
export function liveCallFinder(
  log: string,
  entries: readonly JournalEntry[],
): (entry: JournalEntry, outer: AuditedCall | undefined) => AuditedCall | undefined {
  const known = new Map<string, AuditedCall[]>();
  const childrenOf = (call: string): AuditedCall[] => {
    const found = known.get(call) ?? [...queryAuditFolder(log, { parent: call })];
    known.set(call, found);
    return found;
  };
  return (entry, outer) => {
    if (outer === undefined || outer.tool === entry.tool) return undefined;
    const [first] = entry.steps;
    if (first === undefined) return undefined;
    const change = describeStep(first);
    const children = childrenOf(entry.call).filter(
      ({ tool, end }) => tool === entry.tool && end?.changes?.some((one) => isSame(one, change)) === true,
    );
    // Both are newest first. Where their numbers differ, it is not known which is which.
    const own = entries.filter(
      ({ call, tool, steps: [step] }) => call === entry.call && tool === entry.tool && step !== undefined && isSame(describeStep(step), change),
    );
    return children.length === own.length ? children[own.findIndex(({ id }) => id === entry.id)] : undefined;
  };
}

const isSame = (one: RecordedChange, other: RecordedChange): boolean =>
  one.kind === other.kind && one.path === other.path && one.to === other.to && one.after === other.after;
