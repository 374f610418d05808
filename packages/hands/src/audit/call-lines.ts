import { listSegments } from './audit-folder.ts';
import { linesBackwards } from './lines-backwards.ts';
import { endsOf, joinCall, parseRecord, type AuditedCall } from './query-audit.ts';

/** The start of a line about a call, as it is written: its number, the call of a start record, and the start of an end record. */
const BEGINNING = /^\{"seq":(\d{1,15}),"time":"[^"]{1,40}","type":"(?:start"(?:,"call":"([^"\\]{1,200})")?|end","start":(\d{1,15}))/u;

/** The records of a call, as lines of the log. */
interface CallLines {
  readonly start: string;
  readonly ends: readonly string[];
}

/** The call of a start record; undefined if it is damaged. */
function callOf(line: string): string | undefined {
  const record = parseRecord(line);
  return record?.type === 'start' ? record.call : undefined;
}

function linesOf(folder: string, wanted: ReadonlySet<string>): Map<string, CallLines> {
  const found = new Map<string, CallLines>();
  const ends = new Map<string, string[]>();
  for (const segment of listSegments(folder).toReversed()) {
    for (const { text } of linesBackwards(segment.path)) {
      const [line, seq = '', named, startOfEnd] = BEGINNING.exec(text) ?? [];
      if (line === undefined) continue;
      if (startOfEnd !== undefined) {
        const others = ends.get(startOfEnd);
        if (others === undefined) ends.set(startOfEnd, [text]);
        else others.push(text);
        continue;
      }
      const call = named ?? callOf(text);
      if (call !== undefined && wanted.has(call)) found.set(call, { start: text, ends: ends.get(seq) ?? [] });
      ends.delete(seq);
      if (found.size === wanted.size) return found;
    }
  }
  return found;
}

/**
 * Finds calls in the log of a folder, which is read once. Only the records of calls that are asked for are parsed: of thousands, few are.
 *
 * @param wanted the calls that may be asked for
 */
export function findCalls(folder: string, wanted: ReadonlySet<string>): (call: string) => AuditedCall | undefined {
  const lines = linesOf(folder, wanted);
  const parsed = new Map<string, AuditedCall | undefined>();
  return (call) => {
    if (parsed.has(call)) return parsed.get(call);
    const { start, ends = [] } = lines.get(call) ?? {};
    const record = start === undefined ? undefined : parseRecord(start);
    const audited = record?.type === 'start' && record.call === call ? joinCall(record, endsOf(record, ends)) : undefined;
    parsed.set(call, audited);
    return audited;
  };
}
