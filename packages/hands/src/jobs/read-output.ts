import { size } from '../text/amounts.ts';
import type { Job } from './job.ts';
import type { LinePattern } from './line-pattern.ts';
import { logText } from './log-text.ts';

/** Number of bytes read at once when searching a log. */
const WINDOW_BYTES = 256 * 1024;

/** The part of a job's output to read. Default: the newest output that no answer has shown yet. */
export interface OutputRequest {
  /** Offset at which to start. */
  readonly cursor?: number | undefined;
  /** Number of last lines to return. */
  readonly tail?: number | undefined;
  /** Returns only matching lines, from all kept output or from the cursor on. */
  readonly grep?: LinePattern | undefined;
  readonly maxBytes: number;
}

/** A part of a job's output. */
export interface OutputPart {
  readonly text: string;
  /** Offset at which to continue. */
  readonly cursor: number;
  /** What is missing, and how to get it. */
  readonly notes: readonly string[];
}

function lastLines(text: string, lines: number): string {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let left = lines; left > 0 && at > 0; left -= 1) at = text.lastIndexOf('\n', at - 1);
  return text.slice(Math.max(0, at) + (at > 0 || text.startsWith('\n') ? 1 : 0));
}

function dropped(from: number, asked: number): string[] {
  return from > asked ? [`${size(from - asked)} before that are no longer kept`] : [];
}

function search({ log, isOver }: Job, pattern: LinePattern, cursor: number, maxBytes: number): OutputPart {
  const found: string[] = [];
  let bytesFound = 0;
  let at = cursor;
  const notes: string[] = [];
  for (;;) {
    const part = log.read(at, WINDOW_BYTES);
    if (at === cursor) notes.push(...dropped(part.from, cursor));
    if (part.bytes.length === 0) break;
    const isLast = part.from + part.bytes.length >= part.end;
    // Whole lines, unless the window contains no line end.
    const lineEnd = part.bytes.lastIndexOf(0x0a) + 1;
    const bytes = isLast || lineEnd === 0 ? part.bytes : part.bytes.subarray(0, lineEnd);
    const { text, consumed } = logText(bytes, { begins: part.from === 0, ends: isOver || !isLast });
    const lines = pattern(text.split('\n').filter((line, index, all) => line !== '' || index < all.length - 1));
    for (const line of lines) {
      found.push(line);
      bytesFound += Buffer.byteLength(line) + 1;
    }
    at = part.from + consumed;
    if (isLast || consumed === 0) break;
    if (bytesFound >= maxBytes) {
      notes.push(`more may match: go on with cursor ${at}`);
      break;
    }
  }
  return { text: found.map((line) => `${line}\n`).join(''), cursor: at, notes };
}

/** Reads output of a job. */
export function readOutput(job: Job, { cursor, tail, grep, maxBytes }: OutputRequest): OutputPart {
  const { log, isOver } = job;
  if (grep !== undefined) return search(job, grep, cursor ?? 0, maxBytes);
  if (cursor !== undefined) {
    const part = log.read(cursor, maxBytes);
    const isLast = part.from + part.bytes.length >= part.end;
    const { text, consumed } = logText(part.bytes, { begins: part.from === 0, ends: isOver && isLast });
    const next = part.from + consumed;
    const more = part.end - next;
    return {
      text,
      cursor: next,
      notes: [
        ...(cursor > part.end ? [`the output has ${size(part.end)} up to now`] : dropped(part.from, cursor)),
        ...(more > 0 && !isLast ? [`${size(more)} follow: cursor ${next}`] : []),
      ],
    };
  }
  const begin = tail === undefined ? job.cursor : 0;
  const from = Math.max(begin, log.end - maxBytes);
  const part = log.read(from, maxBytes);
  const { text, consumed } = logText(part.bytes, { begins: part.from === 0, ends: isOver });
  const shown = tail === undefined ? text : lastLines(text, tail);
  const skipped = tail === undefined && part.from > begin ? [`${size(part.from - begin)} before that were left out: cursor ${begin} shows them`] : [];
  return { text: shown, cursor: part.from + consumed, notes: skipped };
}
