import { isRunning } from '../workspace/process-identity.ts';
import { auditFolder, listSegments } from './audit-folder.ts';
import { AuditRecord, type EndRecord, type StartRecord } from './audit-record.ts';
import { linesBackwards } from './lines-backwards.ts';
import type { ErrorCode } from '@synapse/protocol';

/** Selects calls. */
export interface AuditFilter {
  readonly call?: string;
  readonly tool?: string;
  readonly session?: string;
  /** Only calls that this call made, such as those of a program. */
  readonly parent?: string;
  /** Only calls that started at this time or later. */
  readonly since?: Date;
  /** Maximum number of calls; the newest ones are returned. Default: all. */
  readonly limit?: number;
}

/** A call in the log. */
export interface AuditedCall {
  readonly call: string;
  readonly tool: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
  /** `interrupted`: the call started, but its process is gone and did not record the end. */
  readonly status: 'ok' | 'failed' | 'running' | 'interrupted';
  readonly start: StartRecord;
  /** The end of the call; undefined while it runs or if it was interrupted. */
  readonly end: EndRecord | undefined;
  /** The end of the job that the call started or became; missing while that runs, and for other calls. */
  readonly jobEnd?: EndRecord;
}

/** The record of the end of a call's command: that of its job, if it has one. */
export const commandEnd = ({ end, jobEnd = end }: Pick<AuditedCall, 'end' | 'jobEnd'>): EndRecord | undefined => jobEnd;

function status(start: StartRecord, end: EndRecord | undefined): AuditedCall['status'] {
  if (end !== undefined) return end.ok && end.completion === 'ok' ? 'ok' : 'failed';
  return isRunning(start.process) === true ? 'running' : 'interrupted';
}

/** Parses a line of the log; returns undefined if it is damaged, which verification reports. */
export function parseRecord(text: string): AuditRecord | undefined {
  try {
    return AuditRecord.parse(JSON.parse(text));
  } catch {
    // A query returns what can be read; verification checks the rest.
    return undefined;
  }
}

/** Joins the start record of a call with its end records, which come later in the log. */
export function joinCall(start: StartRecord, ends: readonly EndRecord[]): AuditedCall {
  const end = ends.find(({ job }) => job === undefined);
  const jobEnd = ends.find(({ job }) => job !== undefined);
  const last = jobEnd ?? end;
  const known = { call: start.call, tool: start.tool, time: start.time, status: status(start, last), start, end };
  return jobEnd === undefined ? known : { ...known, jobEnd };
}

/** The start of a line about a call. Most lines are filtered by it, without parsing. The last group is the start of an end record. */
const BEGINNING = /^\{"seq":(\d{1,15}),"time":"([^"]{1,40})","type":"(?:start|end","start":(\d{1,15}))/u;

/** Parses the end records found for a call. */
export function endsOf(start: StartRecord, texts: readonly string[]): EndRecord[] {
  return texts.flatMap((text) => {
    const record = parseRecord(text);
    return record?.type === 'end' && record.call === start.call ? [record] : [];
  });
}

/**
 * Yields the calls of a workspace that match a filter, newest first. Reads the log backwards and only as far
 * as needed. There is no index, so nothing can contradict the log.
 */
export function queryAudit(stateFolder: string, root: string, filter: AuditFilter = {}): Generator<AuditedCall> {
  return queryAuditFolder(auditFolder(stateFolder, root), filter);
}

/** Reads the start of a call; undefined if a filter leaves it out. The text that was looked for may have been in the arguments. */
function wantedStart(text: string, filter: AuditFilter): StartRecord | undefined {
  const record = parseRecord(text);
  return record?.type === 'start' && isWanted(record, filter) ? record : undefined;
}

/** As {@link queryAudit}, for the folder of a log. */
export function* queryAuditFolder(folder: string, filter: AuditFilter = {}): Generator<AuditedCall> {
  const { call, tool, session, parent, since, limit = Number.POSITIVE_INFINITY } = filter;
  const wanted = Object.entries({ call, tool, session, parent }).filter(([, value]) => value !== undefined);
  // The exact text in a record: most lines are filtered without being parsed.
  const needles = wanted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const isOld = (time: string): boolean => since !== undefined && Date.parse(time) < since.getTime();
  const ends = new WaitingEnds();
  let left = limit;
  for (const segment of listSegments(folder).toReversed()) {
    let isRecent = since === undefined;
    for (const { text } of linesBackwards(segment.path, needles)) {
      if (left <= 0) return;
      const [line, seq, time = '', startOfEnd] = BEGINNING.exec(text) ?? [];
      if (line === undefined) continue;
      if (startOfEnd !== undefined) {
        ends.add(Number(startOfEnd), text);
        continue;
      }
      const own = ends.take(Number(seq));
      // An older call does not imply that all earlier ones are older: the clock may have been set back.
      if (isOld(time)) continue;
      isRecent = true;
      const record = wantedStart(text, filter);
      if (record === undefined) continue;
      yield joinCall(record, endsOf(record, own));
      left -= 1;
    }
    // A whole file of older calls: the clock was not set back this far.
    if (!isRecent && needles.length === 0) return;
  }
}

function isWanted(record: StartRecord, filter: AuditFilter): boolean {
  return (['call', 'tool', 'session', 'parent'] as const).every((name) => filter[name] === undefined || filter[name] === record[name]);
}

/** End records by the numbers of their starts, which come later where a log is read backwards. */
class WaitingEnds {
  readonly #texts = new Map<number, string[]>();

  add(start: number, text: string): void {
    const found = this.#texts.get(start);
    if (found === undefined) this.#texts.set(start, [text]);
    else found.push(text);
  }

  take(start: number): string[] {
    const found = this.#texts.get(start) ?? [];
    this.#texts.delete(start);
    return found;
  }
}

/** Returns the ids of sessions in the log that begin with a text, or are it. */
export function sessionsBeginning(stateFolder: string, root: string, start: string): string[] {
  const needle = `"session":${JSON.stringify(start).slice(0, -1)}`;
  const found = new Set<string>();
  for (const segment of listSegments(auditFolder(stateFolder, root))) {
    for (const { text } of linesBackwards(segment.path, [needle])) {
      const record = parseRecord(text);
      // The match may have been in the arguments.
      if (record?.type === 'start' && record.session?.startsWith(start) === true) found.add(record.session);
    }
  }
  return [...found];
}

/** Returns the ids of calls in the log that begin with a text, or are it. */
export function callsBeginning(stateFolder: string, root: string, start: string): string[] {
  const needle = `"call":${JSON.stringify(start).slice(0, -1)}`;
  const found = new Set<string>();
  for (const segment of listSegments(auditFolder(stateFolder, root))) {
    for (const { text } of linesBackwards(segment.path, ['"type":"start"', needle])) {
      const record = parseRecord(text);
      // The match may have been in the arguments.
      if (record?.type === 'start' && record.call.startsWith(start)) found.add(record.call);
    }
  }
  return [...found];
}

/** Error codes that a brain has no reason to cause in normal work. */
const SUSPICIOUS: ReadonlySet<ErrorCode | undefined> = new Set(['outside_workspace', 'denied']);

/** Returns calls that tried to leave the workspace or to access something denied or protected, newest first. */
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
