import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { RecordedChange } from '../store/audit/audit-record.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { ChangeJournal } from '../workspace/change-journal.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { FileLocks } from '../workspace/file-lock.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { applyStep, assertApplicable, type StepPowers } from './apply-step.ts';
import { BlobStore, type Contents } from './blob-store.ts';
import { Capture, DEFAULT_JOURNAL_LIMITS, type JournalLimits, type TooLargeToUndo } from './capture.ts';
import { contentsOf, JournalDatabase, type JournalEntry, type NewEntry } from './journal-database.ts';
import { areasOf, bytesKeptBy, markApplied, shareOfDisk } from './kept-areas.ts';
import { lockIndexes } from './index-locks.ts';
import { settle, type SettledEntry } from './settle.ts';
import { describeStep, placesOf, sameImage, type Step } from './step.ts';
import { isSwap } from './swap-entry.ts';
import type { Successors } from './successors.ts';
import { untouched } from './untouched.ts';

/** What a journal is made of. */
export interface JournalParts {
  /** The journal's own folder, in the state folder. */
  readonly folder: string;
  /** Where transactions keep what they exchanged. */
  readonly areas: string;
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

/** After so much of what is kept in all, and after so long, in milliseconds, it is seen again what has to go. */
const PRUNE_SHARE = 16;
const PRUNE_MS = 60 * 60 * 1000;
/** Contents that are removed in one go. */
const REMOVED_AT_ONCE = 100;

/** Keeps what calls change in a workspace, for a time and up to a size, so that it can be taken back. */
export class Journal implements Disposable {
  readonly blobs: BlobStore;
  readonly #parts: JournalParts;
  readonly limits: JournalLimits;
  #database: JournalDatabase | undefined;
  #prunedAt = 0;
  #keptSince = 0;

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
      this.#prune(database);
      return (this.#database = database);
    } catch (error) {
      throw unwritable(error);
    }
  }

  #prune(database: JournalDatabase): void {
    const { ageMs, totalBytes, wholeBytes } = this.limits;
    this.#prunedAt = performance.now();
    this.#keptSince = 0;
    database.prune(Date.now() - ageMs, totalBytes);
    database.areas.prune(wholeBytes ?? shareOfDisk(this.#parts.areas));
    const rest = this.#removeUnused(database, '');
    if (rest !== undefined) void this.#removeRest(database, rest);
  }

  #removeUnused(database: JournalDatabase, after: string): string | undefined {
    return database.removeUnused(after, REMOVED_AT_ONCE, (sum) => this.blobs.remove(sum));
  }

  /** Between other work. What is not removed when this process ends goes the next time. */
  async #removeRest(database: JournalDatabase, first: string): Promise<void> {
    try {
      for (let after: string | undefined = first; after !== undefined; after = this.#removeUnused(database, after)) {
        await turn(undefined, { ref: false });
        if (this.#database !== database) return;
      }
    } catch {
      // A full disk or a writer that does not end. What is left takes space and does no other harm.
    }
  }

  /** What steps are looked at with, and taken back. Nothing is kept of what is only seen: no entry would tell of it. */
  powers(): StepPowers {
    return this.#powers({
      keep: (bytes) => this.blobs.foresee(bytes),
      foresee: (bytes) => this.blobs.foresee(bytes),
      read: (sum) => this.blobs.read(sum),
    });
  }

  /** Which entry stands for which, by what undos put back. */
  get successors(): Successors {
    return this.database.successors;
  }

  #powers(blobs: Contents): StepPowers {
    const { confinement, areas } = this.#parts;
    return { confinement, areas, blobs, capture: new Capture(blobs, this.limits), successors: this.database.successors };
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
        if (entry !== undefined) onNote(settled(settle(this.powers(), database, entry), entry));
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
      this.database.successors.flush();
      for (const area of areasOf(entry.steps)) markApplied(this.#parts.areas, area);
      this.database.finish(entry);
    } catch {
      // The change stands, and its intent as well: once this process is gone, what is there tells that it was made.
      call.onNote('The undo journal could not be completed: this change can be undone after a restart only.');
      return;
    }
    for (const size of contentsOf(entry.steps).values()) this.#keptSince += size;
    this.#keptSince += bytesKeptBy(entry.steps);
    if (this.#keptSince * PRUNE_SHARE < this.limits.totalBytes && performance.now() - this.#prunedAt < PRUNE_MS) return;
    try {
      this.#prune(this.database);
    } catch {
      // The change stands and can be undone. What has to go goes the next time.
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
    const capture = new Capture(this.blobs, this.limits);
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
    const powers = this.#powers({
      // What is there now is kept by the look at it, so that the undo can be undone as well.
      keep: (bytes) => this.blobs.keep(bytes),
      foresee: (bytes) => this.blobs.foresee(bytes),
      // What is new need not be kept: it will be on the disk, and is kept when it is taken back.
      read: (sum) => read?.(sum) ?? this.blobs.read(sum),
    });
    const planned = checkBeforehand(powers, steps);
    const entry = this.#begin(call, { progress: planned.some(isSwap) ? null : 0, undoes: [...undoes], lost: [], steps: planned });
    const done: Step[] = [];
    try {
      using _locks = lockIndexes(this.#parts.confinement, planned);
      for (const step of planned) {
        // Where exchanges stand is seen by what is there.
        if (entry.progress !== null) this.database.setProgress(entry.id, done.length + 1);
        done.push(applyStep(powers, step));
      }
      // Of what earlier steps had to make room for, the look beforehand could not tell.
      if (JSON.stringify(done) !== JSON.stringify(planned)) this.database.restate(entry.id, done);
    } catch (error) {
      this.#takeBack({
        ...entry,
        steps: [...done, ...planned.slice(done.length)],
        progress: entry.progress === null ? null : Math.min(done.length + 1, planned.length),
      });
      throw error;
    }
    this.#end(call, { ...entry, steps: done });
  }
}

/** What is told of a change that a killed process left open. */
function settled(end: SettledEntry, { tool }: JournalEntry): string {
  const what = `A ${tool} of an earlier run was ended in the middle of its changes`;
  if (end === 'finished') return `${what}; all of them are there.`;
  return end === 'taken back' ? `${what}; they were taken back.` : `${what}; they were taken back, but for what something else changed since.`;
}

/** Writing what stands there already is nothing to take back. */
export function changesSomething(step: Step): boolean {
  return step.kind === 'move' || !sameImage(step.before, step.after);
}

/**
 * Refuses at once what would be refused in the middle: places that no earlier step touches must be as they were left.
 * @returns the steps with what was found at those places
 */
export function checkBeforehand(powers: StepPowers, steps: readonly Step[]): Step[] {
  const found = new Map<Step, Step>();
  for (const step of untouched(steps)) found.set(step, assertApplicable(powers, step));
  return steps.map((step) => found.get(step) ?? withContent(step));
}

/** What an earlier step puts there is kept, as all that an undo brings back. */
function withContent(step: Step): Step {
  if (step.kind === 'move' || step.before?.type !== 'file' || step.swap !== undefined) return step;
  return { ...step, before: { ...step.before, kept: true } };
}

function unwritable(error: unknown): SynapseError {
  if (isSynapseError(error)) return error;
  return new SynapseError('unavailable', 'The undo journal of Synapse cannot be written, so nothing was changed.', {
    hint: 'Free some space where the state folder of Synapse lies, or make it writable, then repeat the call.',
    cause: error,
  });
}
