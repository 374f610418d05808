import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { auditFolder, makeAuditFolder, SegmentFile } from './audit-folder.ts';
import { findHead, type Head, HeadFile, readLinks, seal } from './audit-head.ts';
import type { NoticeRecord, UnlinkedRecord } from './audit-record.ts';
import { LeasedLock } from '../state/exclusive-lock.ts';
import { stateProblem } from '../state/state-folder.ts';
import { DEFAULT_RETENTION, expiredSegments, type Retention } from './retention.ts';

const NEWLINE = 10;
const UNWRITABLE = 'The audit log cannot be written';

/** Creates a record from its sequence number. */
export type MakeRecord = (sequence: number) => UnlinkedRecord;

/**
 * Writes the log of a workspace: one chain of hashed lines for all processes that write it. A record is
 * passed to the operating system before the call continues, so a killed process loses no record. Records
 * are not synced to disk (about 5 ms each). A power failure may lose the last seconds, which is detected.
 */
export class AuditLog implements Disposable {
  readonly #folder: string;
  readonly #retention: Retention;
  readonly #lock: LeasedLock;
  readonly #headFile: HeadFile;
  #segment: SegmentFile | undefined;
  /** The end of the log while the lock is held. The head file then describes it in two parts, see {@link Head}. */
  #head: Head | undefined;

  private constructor(folder: string, retention: Retention) {
    this.#folder = folder;
    this.#retention = retention;
    using opened = new DisposableStack();
    this.#headFile = opened.use(new HeadFile(folder));
    this.#lock = opened.use(new LeasedLock(join(folder, 'lock'), () => this.#settle()));
    opened.move();
  }

  /**
   * Opens the log of a workspace. Creates it if it is missing.
   *
   * @param root the real path of the workspace
   * @throws SynapseError `unavailable` if the state folder cannot be written
   */
  static open(stateFolder: string, root: string, retention: Partial<Retention> = {}): AuditLog {
    const folder = auditFolder(stateFolder, root);
    try {
      makeAuditFolder(folder);
      return new AuditLog(folder, { ...DEFAULT_RETENTION, ...retention });
    } catch (error) {
      throw stateProblem(UNWRITABLE, folder, error);
    }
  }

  /**
   * Appends a record. Returns its sequence number.
   * @throws SynapseError `unavailable` if it cannot be written, for example on a full disk; the log is then unchanged
   */
  append(record: UnlinkedRecord): number {
    return this.appendAll([() => record]);
  }

  /**
   * Appends records in one step: all of them or none. Returns the sequence number of the last.
   *
   * @param records at most {@link MAX_RECORDS}
   */
  appendAll(records: readonly MakeRecord[]): number {
    try {
      return this.#lock.hold(() => {
        const known = this.#head;
        // If the write fails, only the head file is valid.
        this.#head = undefined;
        const head = this.#rotate(this.#current(known));
        return (this.#head = this.#add(head, records)).count;
      });
    } catch (error) {
      // The next call opens the file again, because the cause may be fixed by then.
      this.#segment?.[Symbol.dispose]();
      this.#segment = undefined;
      throw stateProblem(UNWRITABLE, this.#folder, error);
    }
  }

  /** Runs work while holding the append lock. */
  pause<T>(work: (head: Head | undefined) => T): T {
    return this.#lock.hold(() => {
      this.#settle();
      return work(this.#headFile.read());
    });
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
    this.#segment?.[Symbol.dispose]();
    this.#segment = undefined;
    this.#headFile[Symbol.dispose]();
  }

  /** Writes the new head atomically, before another process can read it. */
  #settle(): void {
    const head = this.#head;
    this.#head = undefined;
    if (head === undefined) return;
    try {
      this.#headFile.write(head);
    } catch {
      // The head file is valid in its current form: it names the hashes of the last records, which are in the log.
    }
  }

  #open(number: number): SegmentFile {
    if (this.#segment?.number === number) return this.#segment;
    this.#segment?.[Symbol.dispose]();
    this.#segment = undefined;
    return (this.#segment = new SegmentFile(this.#folder, number));
  }

  #add(head: Head, records: readonly MakeRecord[]): Head {
    let { count, hash: previous } = head;
    const lines = records.map((make) => {
      count += 1;
      const line = seal(make(count), count, new Date(), previous);
      previous = line.hash;
      return line;
    });
    const bytes = Buffer.from(lines.map(({ text }) => text).join(''));
    this.#headFile.write({ ...head, pending: lines.map((line) => line.hash) });
    this.#open(head.segment).append(bytes, head.size);
    // Written with the next record or when the lock is released. Until then, the pending hashes describe the same end.
    return { segment: head.segment, size: head.size + bytes.length, count, hash: previous, pending: [] };
  }

  #notice(head: Head, notice: NoticeRecord['notice'], detail: string, last?: string): Head {
    return this.#add(head, [() => ({ type: 'notice', notice, detail, ...(last === undefined ? {} : { last }) })]);
  }

  /** Returns the end of the log. If the file and the head differ, repairs the log first and records the repair. */
  #current(known: Head | undefined): Head {
    const head = known ?? this.#headFile.read() ?? this.#restoreHead();
    let segment = this.#open(head.segment);
    let size = segment.sizeIfNamed;
    // While this process keeps the lock, no other process of Synapse appends.
    if (known !== undefined && size === known.size) return known;
    if (size === undefined) {
      // Deleted or moved since: use the file that has the name now, or create it.
      segment[Symbol.dispose]();
      this.#segment = undefined;
      segment = this.#open(head.segment);
      size = segment.size;
    }
    if (size === head.size) return head;
    if (size < head.size) return this.#missing(head, segment, size);
    return this.#surplus(head, segment, size);
  }

  #restoreHead(): Head {
    const { head, isNew } = findHead(this.#folder);
    if (isNew) return head;
    const size = this.#open(head.segment).size;
    const clean = size > head.size ? this.#surplus(head, this.#open(head.segment), size) : head;
    return this.#notice(clean, 'head-lost', 'The record of where the log ends was missing or damaged; the log was read to find it.');
  }

  /** Handles lines missing from the end. The chain continues from the last record written, so the gap stays visible. */
  #missing(head: Head, segment: SegmentFile, size: number): Head {
    if (size > 0 && segment.read(size - 1, size)[0] !== NEWLINE) segment.append(Buffer.from('\n'));
    return this.#notice({ ...head, size: segment.size, pending: [] }, 'truncated', `${head.size - size} bytes are missing before this record.`);
  }

  /** Handles bytes after the head: a record from a killed process, or foreign data. */
  #surplus(head: Head, segment: SegmentFile, size: number): Head {
    const bytes = segment.read(head.size, size);
    const end = bytes.indexOf(NEWLINE);
    const links = end === -1 ? undefined : readLinks(bytes.toString('utf8', 0, end));
    if (links !== undefined && links.hash === head.pending[0]) {
      const next: Head = {
        segment: head.segment,
        size: head.size + end + 1,
        count: head.count + 1,
        hash: links.hash,
        pending: head.pending.slice(1),
      };
      return end + 1 === bytes.length ? next : this.#surplus(next, segment, size);
    }
    const torn = end === -1 && head.pending.length > 0;
    const { name, sha256 } = segment.setAside(head.size);
    const what = torn ? 'an unfinished line' : 'content that Synapse did not write';
    const detail = `${what} of ${size - head.size} bytes (SHA-256 ${sha256}) was moved to ${name}.`;
    return this.#notice({ ...head, pending: [] }, torn ? 'torn' : 'foreign', detail);
  }

  #rotate(head: Head): Head {
    if (head.size < this.#retention.segmentBytes) return head;
    let next: Head = { ...head, segment: head.segment + 1, size: 0, pending: [] };
    const segment = this.#open(next.segment);
    this.#headFile.write(next);
    if (segment.size > 0) next = this.#surplus(next, segment, segment.size);
    for (const { number, path, last } of expiredSegments(this.#folder, this.#retention, next.segment)) {
      // Record the removal first: a log with a later beginning must say why.
      next = this.#notice(next, 'pruned', `Segment ${number} was removed for its age or size.`, last);
      unlinkSync(path);
    }
    return next;
  }
}
