import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog } from './audit-log.ts';
import { auditFolder, listSegments, type Segment } from './audit-folder.ts';
import { FIRST_PREVIOUS, type Head, HeadFile, readLinks } from './audit-head.ts';
import { parseRecord } from './query-audit.ts';

/** A deviation from the log as it was written. */
export interface AuditProblem {
  /** The file, such as `audit-000001.jsonl`; undefined for the log as a whole. */
  readonly file: string | undefined;
  /** Line number, starting at 1. */
  readonly line: number | undefined;
  readonly problem: string;
}

/** The result of a verification. */
export interface AuditVerification {
  readonly ok: boolean;
  /** Number of records read. */
  readonly records: number;
  /** Hash of the last record. A copy stored elsewhere proves that the log up to here was not rewritten. */
  readonly hash: string;
  readonly problems: readonly AuditProblem[];
  /** Notices that are not problems, such as files removed because of their age. */
  readonly notices: readonly string[];
}

/** Maximum number of reported problems. After a bad line, the rest is often bad too. */
const MAX_PROBLEMS = 100;

/** Notices about events that should not happen. */
const ALARMING: ReadonlySet<string> = new Set(['foreign', 'truncated', 'head-lost']);

interface Walk {
  count: number;
  seq: number;
  hash: string;
  readonly problems: AuditProblem[];
  readonly notices: string[];
  /** Last hashes of files that were removed on purpose. */
  readonly pruned: Set<string>;
}

function check(walk: Walk, file: string, line: number, text: string, isFirst: boolean): void {
  const report = (problem: string): void => void walk.problems.push({ file, line, problem });
  const links = readLinks(text);
  if (links === undefined) {
    report('is not as it was written');
    return;
  }
  if (isFirst && links.prev !== FIRST_PREVIOUS) walk.hash = links.prev;
  else if (links.prev !== walk.hash) report(`does not follow the record before it: ${gap(walk.seq, links.seq)}`);
  else if (links.seq !== walk.seq + 1) report(`is numbered ${links.seq} after ${walk.seq}`);
  walk.count += 1;
  walk.seq = links.seq;
  walk.hash = links.hash;
  if (!text.includes('"type":"notice"')) return;
  const record = parseRecord(text);
  if (record?.type !== 'notice') return;
  if (record.last !== undefined) walk.pruned.add(record.last);
  if (ALARMING.has(record.notice)) report(record.detail);
  else walk.notices.push(record.detail);
}

function gap(before: number, after: number): string {
  if (after > before + 1) return `${after - before - 1} missing after ${before}`;
  return after === before + 1 ? 'one of the two was replaced' : `${after} follows ${before}`;
}

/** Whether a segment ends in a line that its writer, which was killed, had begun. */
const isUnfinished = (head: Head | undefined, segment: number, at: number): boolean =>
  head?.segment === segment && head.pending.length > 0 && at === head.size;

function walkSegments(segments: readonly Segment[], head: Head | undefined): { walk: Walk; anchor: string | undefined } {
  const walk: Walk = { count: 0, seq: 0, hash: FIRST_PREVIOUS, problems: [], notices: [], pruned: new Set() };
  let anchor: string | undefined;
  for (const { number, path } of segments) {
    const bytes = readFileSync(path);
    const file = path.slice(path.lastIndexOf('/') + 1);
    let line = 0;
    for (let at = 0; at < bytes.length && walk.problems.length < MAX_PROBLEMS;) {
      const newline = bytes.indexOf(10, at);
      line += 1;
      if (newline === -1) {
        if (isUnfinished(head, number, at))
          walk.notices.push(`${file} ends in an unfinished line: its writer was killed. The next record moves it aside.`);
        else walk.problems.push({ file, line, problem: 'does not end: it was cut off, or its writer was killed' });
        break;
      }
      const isFirst = walk.count === 0 && line === 1;
      check(walk, file, line, bytes.toString('utf8', at, newline), isFirst);
      if (isFirst) anchor = readLinks(bytes.toString('utf8', at, newline))?.prev;
      at = newline + 1;
    }
    const expected = head?.segment === number ? head.size : undefined;
    if (expected !== undefined && bytes.length > expected && head?.pending.length === 0) {
      walk.problems.push({ file, line: undefined, problem: `has ${bytes.length - expected} bytes at its end that Synapse did not write` });
    }
  }
  return { walk, anchor };
}

/** Returns the result for a log without files. The head shows whether nothing was recorded or everything was deleted. */
function withoutFiles(folder: string): AuditVerification {
  const path = join(folder, 'head');
  const wasWritten = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  using file = wasWritten ? new HeadFile(folder) : undefined;
  const written = wasWritten ? file?.read()?.count : 0;
  // A log deleted with its folder looks like one that never existed. Neither proves anything.
  const problem =
    written === 0
      ? 'No audit log of this workspace: nothing was recorded yet, or all of it is gone.'
      : `The files of the log are gone, in which ${written ?? 'some'} records were written.`;
  return { ok: false, records: 0, hash: FIRST_PREVIOUS, problems: [{ file: undefined, line: undefined, problem }], notices: [] };
}

/** Checks that no record of a workspace's log was changed, added, moved or removed. */
export function verifyAudit(stateFolder: string, root: string): AuditVerification {
  const folder = auditFolder(stateFolder, root);
  if (listSegments(folder).length === 0) return withoutFiles(folder);
  using log = AuditLog.open(stateFolder, root);
  // The lock prevents appends, so the head matches the files.
  return log.pause((head) => {
    const segments = listSegments(folder);
    const { walk, anchor } = walkSegments(segments, head);
    const whole = (problem: string): void => void walk.problems.push({ file: undefined, line: undefined, problem });
    if (anchor !== undefined && anchor !== FIRST_PREVIOUS && !walk.pruned.has(anchor)) whole('The beginning of the log is missing.');
    if (head === undefined) whole('The record of where the log ends is missing or damaged, so lines cut off at its end would not be noticed.');
    else if (walk.problems.length < MAX_PROBLEMS && walk.hash !== head.hash && !head.pending.includes(walk.hash)) {
      whole(`The log ends at record ${walk.seq}, but ${head.count} were written.`);
    }
    return { ok: walk.problems.length === 0, records: walk.count, hash: walk.hash, problems: walk.problems, notices: walk.notices };
  });
}
