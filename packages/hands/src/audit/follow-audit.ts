import { closeSync, fstatSync, openSync, readSync, watch } from 'node:fs';
import { auditFolder, listSegments, makeAuditFolder } from './audit-folder.ts';
import type { StartRecord } from './audit-record.ts';
import { joinCall, parseRecord, queryAudit, type AuditedCall, type AuditFilter } from './query-audit.ts';

interface Place {
  segment: number;
  offset: number;
}

/** Yields the complete lines appended since a position, and advances the position. */
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

/** Selects the calls to follow. */
export interface FollowFilter extends Omit<AuditFilter, 'since' | 'limit'> {
  /** Whether to yield a call also when it starts, with the status `running`. Default: only when it ends. */
  readonly starts?: boolean;
}

/**
 * Yields each call when it ends, whichever process runs it. Returns without an error when the signal is
 * aborted.
 */
export async function* followAudit(stateFolder: string, root: string, filter: FollowFilter, signal: AbortSignal): AsyncGenerator<AuditedCall> {
  const folder = auditFolder(stateFolder, root);
  makeAuditFolder(folder);
  // Watch before reading the position, so that no record is missed.
  using watcher = closing(watch(folder));
  // Many calls may end between two reads. One read handles all of them.
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  watcher.value.on('change', wake);
  let failure: Error | undefined;
  watcher.value.on('error', (error) => {
    failure = error;
    wake();
  });
  signal.addEventListener('abort', wake, { once: true });
  // The start records of running calls are already in the log.
  const last = listSegments(folder).at(-1);
  const place: Place = { segment: last?.number ?? 1, offset: last?.bytes ?? 0 };
  const starts = new Map<number, StartRecord>();
  for (const { status, start } of queryAudit(stateFolder, root, { limit: 100 })) if (status === 'running') starts.set(start.seq, start);
  const fits = ({ call, tool, session }: StartRecord): boolean =>
    (filter.call ?? call) === call && (filter.tool ?? tool) === tool && (filter.session === undefined || filter.session === session);
  const take = function* (): Generator<AuditedCall> {
    for (const line of newLines(folder, place)) {
      const record = parseRecord(line);
      if (record?.type === 'start') {
        starts.set(record.seq, record);
        if (filter.starts === true && fits(record)) yield joinCall(record, []);
      }
      if (record?.type !== 'end') continue;
      if (record.job !== undefined) {
        // The call ended before, so its start may be far back.
        const [call] = queryAudit(stateFolder, root, { call: record.call, limit: 1 });
        if (call !== undefined && fits(call.start)) yield call;
        continue;
      }
      const start = starts.get(record.start);
      starts.delete(record.start);
      if (start !== undefined && fits(start)) yield joinCall(start, [record]);
    }
  };
  while (!signal.aborted) {
    await changed.promise;
    changed = Promise.withResolvers<void>();
    if (failure !== undefined) throw failure;
    if (!signal.aborted) yield* take();
  }
}
