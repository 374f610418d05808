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

/** How a line begins that tells of a call; most are told apart by it, without being parsed. The last group is the start of an end. */
const BEGINNING = /^\{"seq":(\d{1,15}),"time":"([^"]{1,40})","type":"(?:start|end","start":(\d{1,15}))/u;

/** The end of a call as it was found, which stands behind its start. */
function endOf(start: StartRecord, text: string | undefined): EndRecord | undefined {
  const record = text === undefined ? undefined : parseRecord(text);
  return record?.type === 'end' && record.call === start.call ? record : undefined;
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
  const ends = new Map<number, string>();
  let left = limit;
  for (const segment of listSegments(auditFolder(stateFolder, root)).toReversed()) {
    let isRecent = since === undefined;
    for (const { text } of linesBackwards(segment.path, needles)) {
      if (left <= 0) return;
      const [line, seq, time = '', startOfEnd] = BEGINNING.exec(text) ?? [];
      if (line === undefined) continue;
      if (startOfEnd !== undefined) {
        ends.set(Number(startOfEnd), text);
        continue;
      }
      const end = ends.get(Number(seq));
      ends.delete(Number(seq));
      // One that is older says nothing about those before it: a clock can be set back.
      if (since !== undefined && Date.parse(time) < since.getTime()) continue;
      isRecent = true;
      const record = parseRecord(text);
      // The needle may have stood in the arguments.
      if (record?.type !== 'start' || (call ?? record.call) !== record.call || (tool ?? record.tool) !== record.tool) continue;
      if (session !== undefined && session !== record.session) continue;
      yield joinCall(record, endOf(record, end));
      left -= 1;
    }
    // A whole file of older ones: the clock was not set back by so much.
    if (!isRecent && needles.length === 0) return;
  }
}
