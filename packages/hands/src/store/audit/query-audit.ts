import { isRunning } from '../../workspace/process-identity.ts';
import { auditFolder, listSegments } from './audit-folder.ts';
import { AuditRecord, type EndRecord, type StartRecord } from './audit-record.ts';
import { linesBackwards } from './lines-backwards.ts';

/** Which calls are wanted. */
export interface AuditFilter {
  readonly call?: string;
  readonly tool?: string;
  readonly session?: string;
  /** Calls that began at this time or later. */
  readonly since?: Date;
  /** At most so many, the newest ones. Default: all. */
  readonly limit?: number;
}

/** A call as the log tells of it. */
export interface AuditedCall {
  readonly call: string;
  readonly tool: string;
  /** ISO 8601, in UTC. */
  readonly time: string;
  /** `interrupted`: it began, and the process that ran it is gone without telling how it ended. */
  readonly status: 'ok' | 'failed' | 'running' | 'interrupted';
  readonly start: StartRecord;
  /** How it ended; undefined while it runs and where it was interrupted. */
  readonly end: EndRecord | undefined;
}

function status(start: StartRecord, end: EndRecord | undefined): AuditedCall['status'] {
  if (end !== undefined) return end.ok && end.completion === 'ok' ? 'ok' : 'failed';
  return isRunning(start.process) === true ? 'running' : 'interrupted';
}

/** Reads a line of the log; undefined for one that is damaged, of which verification tells. */
export function parseRecord(text: string): AuditRecord | undefined {
  try {
    return AuditRecord.parse(JSON.parse(text));
  } catch {
    // A query shows what can be read. Whether all of it can is what verification is for.
    return undefined;
  }
}

/** Joins the record of a call's start with that of its end, which stands behind it. */
export function joinCall(start: StartRecord, end: EndRecord | undefined): AuditedCall {
  return { call: start.call, tool: start.tool, time: start.time, status: status(start, end), start, end };
}

/**
 * The calls of a workspace that fit a filter, newest first. Reads the log from its end, only as far as it
 * must; there is no index that could say otherwise than the log does.
 */
export function* queryAudit(stateFolder: string, root: string, filter: AuditFilter = {}): Generator<AuditedCall> {
  const { call, tool, session, since, limit = Number.POSITIVE_INFINITY } = filter;
  const wanted = Object.entries({ call, tool, session }).filter(([, value]) => value !== undefined);
  // As a record writes it: most lines are told apart without being parsed.
  const needles = wanted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const ends = new Map<number, EndRecord>();
  let left = limit;
  for (const segment of listSegments(auditFolder(stateFolder, root)).toReversed()) {
    for (const { text } of linesBackwards(segment.path, needles)) {
      if (left <= 0) return;
      const record = parseRecord(text);
      if (record === undefined || record.type === 'notice') continue;
      // The needle may have stood in the arguments.
      if ((call ?? record.call) !== record.call || (tool ?? record.tool) !== record.tool) continue;
      if (session !== undefined && session !== record.session) continue;
      if (record.type === 'end') {
        ends.set(record.start, record);
        continue;
      }
      // Every record before this one is older.
      if (since !== undefined && Date.parse(record.time) < since.getTime()) return;
      yield joinCall(record, ends.get(record.seq));
      ends.delete(record.seq);
      left -= 1;
    }
  }
}
