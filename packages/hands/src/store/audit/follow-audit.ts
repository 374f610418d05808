import { on } from 'node:events';
import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { auditFolder, listSegments, makeAuditFolder } from './audit-folder.ts';
import type { StartRecord } from './audit-record.ts';
import { joinCall, parseRecord, queryAudit, type AuditedCall, type AuditFilter } from './query-audit.ts';

interface Place {
  segment: number;
  offset: number;
}

/** The complete lines that were appended since a place, which moves on. */
function* newLines(folder: string, place: Place): Generator<string> {
  for (const { number, path } of listSegments(folder)) {
    if (number < place.segment) continue;
    if (number > place.segment) Object.assign(place, { segment: number, offset: 0 });
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - place.offset));
      readSync(fd, bytes, 0, bytes.length, place.offset);
      const end = bytes.lastIndexOf(10) + 1;
      place.offset += end;
      if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n');
    } finally {
      closeSync(fd);
    }
  }
}

function closing<T extends { close(): void }>(value: T): Disposable & { readonly value: T } {
  return { value, [Symbol.dispose]: () => value.close() };
}

/**
 * Waits for calls and gives each as it ends, whichever process runs it. Ends, without an error, when the
 * signal is aborted.
 */
export async function* followAudit(
  stateFolder: string,
  root: string,
  filter: Omit<AuditFilter, 'since' | 'limit'>,
  signal: AbortSignal,
): AsyncGenerator<AuditedCall> {
  const folder = auditFolder(stateFolder, root);
  makeAuditFolder(folder);
  // Watched before the place is taken, so that nothing falls in between.
  using watcher = closing(watch(folder));
  const events = on(watcher.value, 'change', { signal });
  // Calls that run already have their start in what is there.
  const last = listSegments(folder).at(-1);
  const place: Place = { segment: last?.number ?? 1, offset: last?.bytes ?? 0 };
  const starts = new Map<number, StartRecord>();
  for (const { status, start } of queryAudit(stateFolder, root, { limit: 100 })) if (status === 'running') starts.set(start.seq, start);
  const fits = ({ call, tool, session }: StartRecord): boolean =>
    (filter.call ?? call) === call && (filter.tool ?? tool) === tool && (filter.session === undefined || filter.session === session);
  const take = function* (): Generator<AuditedCall> {
    for (const line of newLines(folder, place)) {
      const record = parseRecord(line);
      if (record?.type === 'start') starts.set(record.seq, record);
      if (record?.type !== 'end') continue;
      const start = starts.get(record.start);
      starts.delete(record.start);
      if (start !== undefined && fits(start)) yield joinCall(start, record);
    }
  };
  try {
    for await (const _event of events) yield* take();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
