import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { RecordedChange } from '../store/audit/audit-record.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { ChangeJournal } from '../workspace/change-journal.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { FileLocks } from '../workspace/file-lock.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { applyStep, assertApplicable, type StepPowers } from './apply-step.ts';
import { BlobStore } from './blob-store.ts';
import { Capture, DEFAULT_JOURNAL_LIMITS, type JournalLimits, type TooLargeToUndo } from './capture.ts';
import { JournalDatabase, type JournalEntry, type NewEntry } from './journal-database.ts';
import { settle } from './settle.ts';
import { describeStep, placesOf, sameImage, type Step } from './step.ts';
import { untouched } from './untouched.ts';

/** What a journal is made of. */
export interface JournalParts {
  /** The journal's own folder, in the state folder. */
  readonly folder: string;
  readonly confinement: Confinement;
  readonly locks: FileLocks;
  readonly limits?: Partial<JournalLimits>;
}

/** The call whose changes are kept. */
export interface JournalCall {
  readonly callId: string;
  readonly sessionId: string | undefined;
  readonly tool: string;
  readonly signal: AbortSignal;
  /** Told of each change that was made. */
  readonly onChange: (change: RecordedChange) => void;
  /** Told, before the change, of what cannot be given back; a throw keeps the change from being made. */
  readonly onTooLarge: (fact: TooLargeToUndo) => void;
  /** Told what the answer has to say. */
  readonly onNote: (note: string) => void;
}

/** Keeps what calls change in a workspace, for a time and up to a size, so that it can be taken back. */
export class Journal implements Disposable {
  readonly blobs: BlobStore;
  readonly #parts: JournalParts;
  readonly limits: JournalLimits;
  #database: JournalDatabase | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.limits = { ...DEFAULT_JOURNAL_LIMITS, ...parts.limits };
    this.blobs = new BlobStore(join(parts.folder, 'content'));
  }

  /** The name that a damaged journal was given when this one was opened. */
  get setAside(): string | undefined {
    return this.database.setAside;
  }

  /** The index; opened when it is first needed, since most calls only read. */
  get database(): JournalDatabase {
    if (this.#database !== undefined) return this.#database;
    try {
      mkdirSync(join(this.#parts.folder, 'content'), { recursive: true, mode: 0o700 });
      const database = new JournalDatabase(join(this.#parts.folder, 'journal.db'));
      database.prune(Date.now() - this.limits.ageMs, this.limits.totalBytes, (sum) => this.blobs.remove(sum));
      return (this.#database = database);
    } catch (error) {
      throw unwritable(error);
    }
  }

  /** What steps are looked at and applied with; contents that are seen are kept. */
  powers(): StepPowers {
    return { confinement: this.#parts.confinement, blobs: this.blobs, capture: new Capture(this.blobs, this.limits) };
  }

  /** The journal as one call sees it. */
  forCall(call: JournalCall): ChangeJournal {
    return {
      ready: () => this.recover(call),
      record: (plan, mutate) => this.#record(call, plan, mutate),
      apply: (steps, undoes, read) => this.#apply(call, steps, undoes, read),
    };
  }

  [Symbol.dispose](): void {
    this.#database?.[Symbol.dispose]();
    this.#database = undefined;
  }

  /** Ends what killed processes left open: what was half done is taken back. */
  async recover({ signal, onNote }: Pick<JournalCall, 'signal' | 'onNote'>): Promise<void> {
    const known = this.#database !== undefined;
    const { database } = this;
    if (!known && database.setAside !== undefined)
      onNote(`The undo journal was damaged; it was moved to ${database.setAside}, and earlier changes cannot be undone.`);
    if (!database.hasOpen()) return;
    for (const { id, process, steps } of database.open()) {
      if (isRunning(process) === true) continue;
      const keys = steps.flatMap(placesOf).map((place) => `${this.#parts.confinement.root}/${displayPath(place)}`);
      await this.#parts.locks.hold(keys, signal, async () => {
        // Another process may have done it while this one waited.
        const entry = database.open().find((one) => one.id === id);
        if (entry !== undefined) settle(this.powers(), database, entry);
      });
    }
  }

  #begin(call: JournalCall, entry: Pick<NewEntry, 'progress' | 'undoes' | 'lost' | 'steps'>): JournalEntry {
    const { callId, sessionId, tool } = call;
    const whole = { ...entry, call: callId, tool, time: Date.now(), process: processIdentity() };
    try {
      const id = this.database.insert({ ...whole, session: sessionId });
      return { ...whole, id, session: sessionId ?? null, state: 'open', undone_by: null };
    } catch (error) {
      throw unwritable(error);
    }
  }

  #end(call: JournalCall, entry: JournalEntry): void {
    for (const step of entry.steps) call.onChange(describeStep(step));
    try {
      this.database.finish(entry);
    } catch {
      // The change stands, and its intent as well: once this process is gone, what is there tells that it was made.
      call.onNote('The undo journal could not be completed: this change can be undone after a restart only.');
    }
  }

  /** Takes back what a failed change did so far. */
  #takeBack(entry: JournalEntry): void {
    try {
      settle(this.powers(), this.database, entry);
    } catch {
      // The failure of the change itself is what has to be told. The entry stays open, and is settled later.
    }
  }

  #record(call: JournalCall, plan: (capture: Capture) => Step[], mutate: () => void): void {
    const { capture } = this.powers();
    let steps: Step[];
    try {
      steps = plan(capture).filter(changesSomething);
    } catch (error) {
      throw ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '') ? unwritable(error) : error;
    }
    if (steps.length === 0) return mutate();
    for (const fact of capture.tooLarge) call.onTooLarge(fact);
    const entry = this.#begin(call, { progress: null, undoes: [], lost: capture.tooLarge, steps });
    try {
      mutate();
    } catch (error) {
      this.#takeBack(entry);
      throw error;
    }
    this.#end(call, entry);
  }

  #apply(call: JournalCall, steps: readonly Step[], undoes: readonly number[], read?: (sum: string) => Buffer | undefined): void {
    const known = this.powers();
    // What is new need not be kept: it will be on the disk, and is kept when it is taken back.
    const powers =
      read === undefined
        ? known
        : {
            ...known,
            blobs: {
              keep: (bytes: Uint8Array) => this.blobs.keep(bytes),
              foresee: (bytes: Uint8Array) => this.blobs.foresee(bytes),
              read: (sum: string) => read(sum) ?? this.blobs.read(sum),
            },
          };
    checkBeforehand(powers, steps);
    const kept = steps.map((step): Step => {
      // What is there now is kept by the look at it, so that the undo can be undone as well.
      if (step.kind === 'move' || step.before?.type !== 'file') return step;
      return { ...step, before: { ...step.before, kept: true } };
    });
    const entry = this.#begin(call, { progress: 0, undoes: [...undoes], lost: [], steps: kept });
    let progress = 0;
    try {
      for (const step of kept) {
        progress += 1;
        this.database.setProgress(entry.id, progress);
        applyStep(powers, step);
      }
    } catch (error) {
      this.#takeBack({ ...entry, progress });
      throw error;
    }
    this.#end(call, entry);
  }
}

/** Writing what stands there already is nothing to take back. */
export function changesSomething(step: Step): boolean {
  return step.kind === 'move' || !sameImage(step.before, step.after);
}

/** Refuses at once what would be refused in the middle: places that no earlier step touches must be as they were left. */
export function checkBeforehand(powers: StepPowers, steps: readonly Step[]): void {
  for (const step of untouched(steps)) assertApplicable(powers, step);
}

function unwritable(error: unknown): SynapseError {
  if (isSynapseError(error)) return error;
  return new SynapseError('unavailable', 'The undo journal of Synapse cannot be written, so nothing was changed.', {
    hint: 'Free some space where the state folder of Synapse lies, or make it writable, then repeat the call.',
    cause: error,
  });
}
