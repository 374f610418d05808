import { hash } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { errnoOf } from '../../workspace/file-error.ts';
import { auditFolder, makeAuditFolder } from './audit-folder.ts';
import { HeadFile, type Head } from './audit-head.ts';
import type { NoticeRecord, UnlinkedRecord } from './audit-record.ts';
import { readLinks, seal } from './chain.ts';
import { findHead } from './find-head.ts';
import { LeasedLock } from './leased-lock.ts';
import { DEFAULT_RETENTION, expiredSegments, type Retention } from './retention.ts';
import { SegmentFile } from './segment-file.ts';

const NEWLINE = 10;

/** Makes a record, told the number of the first that is written with it. */
type MakeRecord = (first: number) => UnlinkedRecord;

/**
 * Writes the log of a workspace: one chain of hashed lines, whichever processes write it. A record is
 * handed to the operating system before the call goes on, so that a killed process loses none. It is
 * not forced to the disk each time (some 5 ms): a loss of power may cost the last seconds, and shows.
 */
export class AuditLog implements Disposable {
  readonly #folder: string;
  readonly #retention: Retention;
  readonly #lock: LeasedLock;
  readonly #headFile: HeadFile;
  #segment: SegmentFile | undefined;
  /** Where the log ends, as long as the lock is kept: the file says it in two parts then, see {@link Head}. */
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
   * Opens the log of a workspace, and begins one where there is none.
   *
   * @param root the real path of the workspace
   * @throws SynapseError `unavailable` where the state folder cannot be written
   */
  static open(stateFolder: string, root: string, retention: Partial<Retention> = {}): AuditLog {
    const folder = auditFolder(stateFolder, root);
    try {
      makeAuditFolder(folder);
      return new AuditLog(folder, { ...DEFAULT_RETENTION, ...retention });
    } catch (error) {
      throw unwritable(error);
    }
  }

  /**
   * Appends a record and gives its number in the chain.
   * @throws SynapseError `unavailable` where it cannot be written, for example on a full disk; the log is then as it was
   */
  append(record: UnlinkedRecord): number {
    return this.#write([() => record]);
  }

  /** Appends two records in one step, of which the second knows the number of the first; gives the number of the second. */
  appendBoth(first: UnlinkedRecord, second: (first: number) => UnlinkedRecord): number {
    return this.#write([() => first, second]);
  }

  #write(records: readonly MakeRecord[]): number {
    try {
      return this.#lock.hold(() => {
        const known = this.#head;
        // Until it is done, nothing is known but what the file says.
        this.#head = undefined;
        const head = this.#rotate(this.#current(known));
        return (this.#head = this.#add(head, records)).count;
      });
    } catch (error) {
      // Opened anew next time: what failed may have been put right by then.
      this.#segment?.[Symbol.dispose]();
      this.#segment = undefined;
      throw unwritable(error);
    }
  }

  /** Runs work while nobody appends. */
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

  /** Says in one piece where the log ends, before anybody else looks. */
  #settle(): void {
    const head = this.#head;
    this.#head = undefined;
    if (head === undefined) return;
    try {
      this.#headFile.write(head);
    } catch {
      // What the file says is true as it is: it names the hashes of the last records, and they stand there.
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
    const first = count + 1;
    const lines = records.map((make) => {
      const line = seal(make(first), (count += 1), new Date(), previous);
      previous = line.hash;
      return line;
    });
    const bytes = Buffer.from(lines.map(({ text }) => text).join(''));
    this.#headFile.write({ ...head, pending: lines.map((line) => line.hash) });
    this.#open(head.segment).append(bytes, head.size);
    // Written with the next record, or when the lock is given back: until then the hashes above tell the same.
    return { segment: head.segment, size: head.size + bytes.length, count, hash: previous, pending: [] };
  }

  #notice(head: Head, notice: NoticeRecord['notice'], detail: string, last?: string): Head {
    return this.#add(head, [() => ({ type: 'notice', notice, detail, ...(last === undefined ? {} : { last }) })]);
  }

  /** Where the log ends by now. What is not as the head says is put right first, and told in the log. */
  #current(known: Head | undefined): Head {
    const head = known ?? this.#headFile.read() ?? this.#restoreHead();
    let segment = this.#open(head.segment);
    let size = segment.sizeIfNamed;
    if (size === undefined) {
      // Deleted or moved since: what has the name now, if anything, is looked at instead.
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

  /** Lines are gone from the end. The chain goes on from the last one that was written, so that the gap stays visible. */
  #missing(head: Head, segment: SegmentFile, size: number): Head {
    if (size > 0 && segment.read(size - 1, size)[0] !== NEWLINE) segment.append(Buffer.from('\n'));
    return this.#notice({ ...head, size: segment.size, pending: [] }, 'truncated', `${head.size - size} bytes are missing before this record.`);
  }

  /** There is more than the head tells of: the record that a killed process was writing, or something that is not ours. */
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
    const name = segment.setAside(head.size);
    const what = torn ? 'an unfinished line' : 'content that Synapse did not write';
    const detail = `${what} of ${bytes.length} bytes (SHA-256 ${hash('sha256', bytes)}) was moved to ${name}.`;
    return this.#notice({ ...head, pending: [] }, torn ? 'torn' : 'foreign', detail);
  }

  #rotate(head: Head): Head {
    if (head.size < this.#retention.segmentBytes) return head;
    let next: Head = { ...head, segment: head.segment + 1, size: 0, pending: [] };
    const segment = this.#open(next.segment);
    this.#headFile.write(next);
    if (segment.size > 0) next = this.#surplus(next, segment, segment.size);
    for (const { number, path, last } of expiredSegments(this.#folder, this.#retention, next.segment)) {
      // Told before it is done: a log that begins late must say why.
      next = this.#notice(next, 'pruned', `Segment ${number} was removed for its age or size.`, last);
      unlinkSync(path);
    }
    return next;
  }
}

function unwritable(error: unknown): SynapseError {
  if (isSynapseError(error)) return error;
  const full = ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '');
  return new SynapseError('unavailable', `The audit log cannot be written${full ? ': the disk is full' : ''}.`, {
    hint: full
      ? 'Free some space where the state folder of Synapse lies, then repeat the call.'
      : 'Make the state folder of Synapse writable, or set XDG_STATE_HOME to one that is.',
    cause: error,
  });
}
