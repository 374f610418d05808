import { existsSync } from 'node:fs';
import { listSegments } from '../audit/audit-folder.ts';
import type { EndRecord } from '../audit/audit-record.ts';
import { linesBackwards } from '../audit/lines-backwards.ts';
import { commandEnd, parseRecord } from '../audit/query-audit.ts';
import type { TreeEntry } from '../tree/listing.ts';
import type { ReadListing } from '../tree/tree-files.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { Between } from './follow-lines.ts';
import type { FindCall } from './line-facts.ts';

/** A command that ran in the workspace itself: what it wrote is in no journal. */
export interface LiveRun {
  readonly call: string;
  readonly tool: string;
  readonly session?: string;
  /** Its first and its last record in the log; infinite while it runs. */
  readonly from: number;
  readonly to: number;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly tree: NonNullable<EndRecord['command']>['tree'];
}

/** Milliseconds by which the time of a file may be before that of the log: files get the time of the last tick of the kernel. */
const CLOCK_MS = 2_000;

/** The commands that ran in the workspace itself, newest first. @param log the folder of the audit log */
export function liveRuns(log: string): LiveRun[] {
  const calls = new Map<string, EndRecord[]>();
  for (const segment of existsSync(log) ? listSegments(log).toReversed() : []) {
    for (const { text } of linesBackwards(segment.path, ['"undo":"not covered"'])) {
      const record = parseRecord(text);
      if (record?.type !== 'end' || record.undo !== 'not covered' || record.dry_run === true) continue;
      const key = `${record.start} ${record.call}`;
      calls.set(key, [...(calls.get(key) ?? []), record]);
    }
  }
  return Array.from(calls.values(), (ends) => {
    const end = ends.find(({ job }) => job === undefined);
    const jobEnd = ends.find(({ job }) => job !== undefined);
    const last = commandEnd({ end, ...(jobEnd === undefined ? {} : { jobEnd }) });
    // A call that succeeded without the end of its command left a job.
    const isOver = last?.command !== undefined || last?.job !== undefined || last?.ok === false;
    return last === undefined
      ? []
      : [
          {
            call: last.call,
            tool: last.tool,
            ...(last.session === undefined ? {} : { session: last.session }),
            from: last.start,
            to: isOver ? last.seq : Number.POSITIVE_INFINITY,
            startedAt: Date.parse(last.time) - last.duration_ms,
            tree: last.command?.tree,
          },
        ];
  }).flat();
}

/** The entry of a tree at a place; null if there is none, undefined if that is not known. */
function entryAt(read: ReadListing, sum: string, place: WorkspacePath): TreeEntry | null | undefined {
  let entry: TreeEntry | undefined = { kind: 'd', hash: sum };
  for (const name of place) {
    if (entry?.kind !== 'd') return null;
    const listing = read(entry.hash);
    if (listing === undefined) return undefined;
    entry = listing.get(Buffer.from(name).toString('latin1'));
  }
  return entry ?? null;
}

/** What the trees of a run say of a file: nothing, if it is ignored, or if they are not known. */
function fateOf({ tree }: LiveRun, read: ReadListing, place: WorkspacePath): 'same' | 'made' | 'changed' | 'unseen' {
  if (tree === undefined) return 'unseen';
  const before = entryAt(read, tree.before, place);
  const after = entryAt(read, tree.after ?? tree.before, place);
  if (before === undefined || after === undefined || (before === null && after === null)) return 'unseen';
  if (before === null) return 'made';
  return before.hash === after?.hash ? 'same' : 'changed';
}

/** Where the runs that may have written a file are looked for. */
export interface LiveSources {
  readonly runs: () => readonly LiveRun[];
  readonly read: ReadListing;
  readonly find: FindCall;
  /** The call of a change. */
  readonly callOf: (entry: number) => string | undefined;
}

/** The runs that may have written what is new in a text. */
export interface Suspects {
  readonly runs: readonly LiveRun[];
  /** Whether one of them found no such file. */
  readonly isMade: boolean;
}

/** The commands that ran in the workspace itself, between two changes of a file, and may have written it: never one that certainly did not. */
export function suspectsIn({ after, before, place, changedAt }: Between, { runs, read, find, callOf }: LiveSources): Suspects {
  const numbered = (entry: number | undefined): ReturnType<FindCall> => {
    const call = entry === undefined ? undefined : callOf(entry);
    return call === undefined ? undefined : find(call);
  };
  const earliest = numbered(after)?.start.seq ?? 0;
  const next = numbered(before);
  const latest = next === undefined ? Number.POSITIVE_INFINITY : (commandEnd(next)?.seq ?? Number.POSITIVE_INFINITY);
  const found = runs()
    .filter(({ from, to, startedAt }) => from < latest && to > earliest && (changedAt === undefined || changedAt >= startedAt - CLOCK_MS))
    .map((run) => ({ run, fate: fateOf(run, read, place) }))
    .filter(({ fate }) => fate !== 'same');
  return { runs: found.map(({ run }) => run), isMade: found.some(({ fate }) => fate === 'made') };
}
