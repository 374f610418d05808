import { mkdirSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isSynapseError, type SynapseError } from '@synapse/protocol';
import {
  changesSomething,
  describeStep,
  isSwap,
  placesOf,
  type RecordedChange,
  type Step,
  type StoredPath,
  storePath,
  untouched,
} from '../workspace/changes/step.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf, fileError, isDiskFull } from '../workspace/file-error.ts';
import type { FileLocks } from '../workspace/file-lock.ts';
import { bytesAfter } from './step-text.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { applyStep, assertApplicable, statAt, type StepPowers } from './apply-step.ts';
import { BlobStore } from './blob-store.ts';
import type { ChangeJournal, MadeChange, MutateByOther, StagedSteps, Contents } from '../workspace/changes/capture.ts';
import { Capture, DEFAULT_JOURNAL_LIMITS, type JournalLimits, type TooLargeToUndo } from '../workspace/changes/capture.ts';
import { contentsOf, JournalDatabase, type JournalEntry, type NewEntry } from './journal-database.ts';
import { areasOf, bytesKeptBy, markApplied, shareOfDisk } from './kept-areas.ts';
import { planFolderTimes } from './folder-times.ts';
import { lockIndexes } from './git-index.ts';
import { recover, type RecoveredEntry } from './recover.ts';
import { isAcross, settleAbandoned, stageEntries } from './stage-entries.ts';
import { stateProblem } from '../state/state-folder.ts';
import type { InodeMap } from './inode-map.ts';

/** Options for a journal. */
export interface JournalParts {
  /** The journal's folder in the state folder. */
  readonly folder: string;
  /** The folder in which transactions store exchanged entries. */
  readonly areas: string;
  readonly confinement: Confinement;
  readonly locks: FileLocks;
  readonly limits?: Partial<JournalLimits>;
  /** Whether branches, or changes that are not applied yet, may need what the workspace has. Default: there are none. */
  readonly holdsCopies?: (() => boolean) | undefined;
  /** Returns what is called with the steps of each change before it is made. */
  readonly observer?: (() => Promise<(steps: readonly Step[]) => void>) | undefined;
}

/** A call whose changes are recorded. */
export interface JournalCall {
  readonly callId: string;
  readonly sessionId: string | undefined;
  readonly tool: string;
  readonly signal: AbortSignal;
  /** Receives each change that was made. */
  readonly onChange: (change: RecordedChange) => void;
  /** Receives, before the change, each content that cannot be restored. An exception prevents the change. */
  readonly onTooLarge: (fact: TooLargeToUndo) => void;
  /** Receives notes for the answer. */
  readonly onNote: (note: string) => void;
}

/** The journal is pruned after a sixteenth of its total size was added, or after one hour in milliseconds. */
const PRUNE_SHARE = 16;
const PRUNE_MS = 60 * 60 * 1000;
/** Maximum number of contents removed at once. */
const REMOVED_AT_ONCE = 100;

/** Records the changes of calls in a workspace, for a time and up to a size, so that they can be undone. */
export class Journal implements Disposable {
  readonly blobs: BlobStore;
  readonly #parts: JournalParts;
  readonly limits: JournalLimits;
  #database: JournalDatabase | undefined;
  #prunedAt = 0;
  #stagesSettled = false;
  #keptSince = 0;
  #observe: ((steps: readonly Step[]) => void) | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.limits = { ...DEFAULT_JOURNAL_LIMITS, ...parts.limits };
    this.blobs = new BlobStore(join(parts.folder, 'content'));
  }

  /** The new name of a damaged journal; undefined if the journal was intact. */
  get setAside(): string | undefined {
    return this.database.setAside;
  }

  /** The index. It is opened on first use, because most calls only read. */
  get database(): JournalDatabase {
    if (this.#database !== undefined) return this.#database;
    try {
      mkdirSync(join(this.#parts.folder, 'content'), { recursive: true, mode: 0o700 });
      const database = new JournalDatabase(join(this.#parts.folder, 'journal.db'));
      this.#prune(database);
      return (this.#database = database);
    } catch (error) {
      throw this.#unwritable(error);
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

  /** Removes the rest between other work. The next prune removes what is left when this process ends. */
  async #removeRest(database: JournalDatabase, first: string): Promise<void> {
    try {
      for (let after: string | undefined = first; after !== undefined; after = this.#removeUnused(database, after)) {
        await turn(undefined, { ref: false });
        if (this.#database !== database) return;
      }
    } catch {
      // A full disk or a writer that does not finish. The rest takes space and does no other harm.
    }
  }

  /** Returns the dependencies for reading and reverting steps. Reading stores no contents: no entry would refer to them. */
  powers(): StepPowers {
    const foresee: Contents['foresee'] = (bytes) => this.blobs.foresee(bytes);
    return this.#powers({ keep: foresee, foresee, read: (sum) => this.blobs.read(sum) });
  }

  /** The inodes of entries that undos restored. */
  get inodeMap(): InodeMap {
    return this.database.inodeMap;
  }

  #powers(blobs: Contents): StepPowers {
    const { confinement, areas, holdsCopies } = this.#parts;
    const { database } = this;
    return {
      confinement,
      areas,
      blobs,
      capture: new Capture(blobs, this.limits),
      inodeMap: database.inodeMap,
      othersSince: (time, but) => holdsCopies?.() === true || database.doneSince(time).some(({ id }) => !but.has(id)),
    };
  }

  /** Returns the journal for one call. */
  forCall(call: JournalCall): ChangeJournal {
    return {
      ready: async () => {
        this.#observe ??= await this.#parts.observer?.();
        await this.recover(call);
      },
      stage: (steps) => this.#stage(call, steps),
      record: (plan, mutate) => this.#record(call, plan, mutate),
      recordMade: (plan, mutate, { apart }) =>
        this.#recordMade(apart ? { ...call, callId: `saved-${call.callId}`, tool: 'editor' } : call, plan, mutate),
      apply: (steps, undoes) => this.#apply(call, steps, undoes),
      bytesAfter: (step, maxBytes) => bytesAfter(this.powers(), step, maxBytes),
    };
  }

  [Symbol.dispose](): void {
    this.#database?.[Symbol.dispose]();
    this.#database = undefined;
  }

  /** Settles what killed processes left open: completes changes whose steps were all applied and reverts the others. */
  async recover({ signal, onNote }: Pick<JournalCall, 'signal' | 'onNote'>): Promise<void> {
    const known = this.#database !== undefined;
    const { database } = this;
    if (!known && database.setAside !== undefined)
      onNote(`The undo journal was damaged; it was moved to ${database.setAside}, and earlier changes cannot be undone.`);
    for (const { id, process, steps } of database.hasOpen() ? database.open() : []) {
      if (isRunning(process) === true) continue;
      const keys = steps.flatMap(placesOf).map((place) => `${this.#parts.confinement.root}/${displayPath(place)}`);
      await this.#parts.locks.hold(keys, signal, async () => {
        // Another process may have recovered it while this one waited.
        const entry = database.open().find((one) => one.id === id);
        if (entry !== undefined) onNote(recoveryNote(recover(this.powers(), database, entry), entry));
      });
    }
    if (this.#stagesSettled) return;
    this.#stagesSettled = true;
    if (isAcross(this.#parts.areas, this.#parts.confinement)) await settleAbandoned(this.powers(), (stage) => database.stepsOf(stage), signal);
  }

  async #stage(call: JournalCall, steps: readonly Step[]): Promise<StagedSteps> {
    const staged = await stageEntries(this.powers(), steps, call.signal);
    return {
      steps: staged.steps,
      settle: async () => {
        try {
          await staged.settle();
        } catch (error) {
          if (errnoOf(error) === undefined) throw error;
          // The change stands. The replaced entries are still in the stage folder, where an undo finds them.
          call.onNote(
            'What this call replaced could not be moved to the state folder of Synapse; it waits in a folder .synapse-….tmp in the workspace.',
          );
          this.#stagesSettled = false;
        }
      },
    };
  }

  #begin(call: JournalCall, entry: Pick<NewEntry, 'progress' | 'undoes' | 'lost' | 'steps'>): JournalEntry {
    const { callId, sessionId, tool } = call;
    const whole = { ...entry, call: callId, tool, time: Date.now(), process: processIdentity() };
    try {
      this.#observe?.(whole.steps);
      const id = this.database.insert({ ...whole, session: sessionId });
      return { ...whole, id, session: sessionId ?? null, state: 'open', undone_by: null };
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  #end(call: JournalCall, entry: JournalEntry): void {
    for (const step of entry.steps) call.onChange(describeStep(step));
    try {
      this.database.inodeMap.flush();
      for (const area of areasOf(entry.steps)) markApplied(this.#parts.areas, area);
      this.database.finish(entry);
    } catch {
      // The change and its intent are on disk. After this process ends, recovery detects that the change was made.
      call.onNote('The undo journal could not be completed: this change can be undone after a restart only.');
      return;
    }
    for (const size of contentsOf(entry.steps).values()) this.#keptSince += size;
    this.#keptSince += bytesKeptBy(entry.steps);
    if (this.#keptSince * PRUNE_SHARE < this.limits.totalBytes && performance.now() - this.#prunedAt < PRUNE_MS) return;
    try {
      this.#prune(this.database);
    } catch {
      // The change stands and can be undone. The next prune removes the rest.
    }
  }

  /** Reverts the applied steps of a failed change. Returns undefined if that failed, too. */
  #takeBack(entry: JournalEntry): RecoveredEntry | undefined {
    try {
      return recover(this.powers(), this.database, entry);
    } catch {
      // Report the failure of the change. The entry stays open and is recovered later.
      return undefined;
    }
  }

  #unwritable(error: unknown): SynapseError {
    return stateProblem('The undo journal of Synapse cannot be written, so nothing was changed', this.#parts.folder, error);
  }

  /** Plans a change and records its intent; undefined if it changes nothing. */
  #intend(call: JournalCall, plan: (capture: Capture) => Step[]): JournalEntry | undefined {
    const capture = new Capture(this.blobs, this.limits);
    let steps: Step[];
    try {
      steps = plan(capture).filter(changesSomething);
    } catch (error) {
      throw isDiskFull(error) ? this.#unwritable(error) : error;
    }
    if (steps.length === 0) return undefined;
    for (const fact of capture.tooLarge) call.onTooLarge(fact);
    return this.#begin(call, { progress: null, undoes: [], lost: capture.tooLarge, steps });
  }

  #record(call: JournalCall, plan: (capture: Capture) => Step[], mutate: () => void): void {
    const entry = this.#intend(call, plan);
    if (entry === undefined) return mutate();
    const moves = entry.steps.flatMap((step) => (step.kind === 'move' ? [{ path: step.to, before: this.#look(step.from) }] : []));
    try {
      mutate();
    } catch (error) {
      this.#takeBack(entry);
      throw error;
    }
    for (const { path, before } of moves) {
      const stat = this.#look(path);
      if (before !== undefined && stat !== undefined) this.inodeMap.moved(stat, before);
    }
    this.#end(call, entry);
  }

  /** The entry at a path; undefined if there is none, or if the path leads elsewhere. */
  #look(path: StoredPath): BigIntStats | undefined {
    try {
      return statAt(this.#parts, { path });
    } catch (error) {
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }

  async #recordMade(call: JournalCall, plan: (capture: Capture) => Step[], mutate: MutateByOther): Promise<void> {
    const begun = this.#intend(call, plan);
    if (begun === undefined) return await mutate(() => {});
    let entry = begun;
    const onMade = (made: MadeChange): void => {
      const steps = entry.steps.map((step) => this.#asMade(step, made));
      if (JSON.stringify(steps) === JSON.stringify(entry.steps)) return;
      entry = { ...entry, steps };
      this.database.restate(entry.id, steps);
    };
    try {
      await mutate(onMade);
    } catch (error) {
      // The other program may have failed after it had made all of the change, which stands then.
      if (this.#takeBack(entry) === 'finished') this.#end(call, entry);
      throw error;
    }
    this.#end(call, entry);
  }

  /** A step with the content that another program wrote. */
  #asMade(step: Step, { location, bytes }: MadeChange): Step {
    if (step.kind !== 'set' || step.after?.type !== 'file' || JSON.stringify(step.path) !== JSON.stringify(storePath(location))) return step;
    return { ...step, after: { ...step.after, sha256: this.blobs.foresee(bytes), size: bytes.length } };
  }

  #apply(call: JournalCall, steps: readonly Step[], undoes: readonly number[]): void {
    // The check before each step stores the current content, so that the undo can be undone too.
    const powers = this.#powers(this.blobs);
    const planned = checkBeforehand(powers, steps);
    const entry = this.#begin(call, { progress: planned.some(isSwap) ? null : 0, undoes: [...undoes], lost: [], steps: planned });
    const done: Step[] = [];
    const setTimes = planFolderTimes(this.#parts.confinement, planned);
    try {
      using _locks = lockIndexes(this.#parts.confinement, planned);
      for (const step of planned) {
        // The state of exchanges is read from the disk instead.
        if (entry.progress !== null) this.database.setProgress(entry.id, done.length + 1);
        done.push(namingItsPath(step, () => applyStep(powers, step)));
      }
      setTimes();
      // The check beforehand cannot know the state that earlier steps produce.
      if (JSON.stringify(done) !== JSON.stringify(planned)) this.database.restate(entry.id, done);
    } catch (error) {
      const rest = planned.slice(done.length);
      const end = this.#takeBack({
        ...entry,
        steps: [...done, ...rest],
        // Known here also of exchanges. What a later step moved to the place of an earlier one hides from the disk that this was done.
        progress: Math.min(done.length + 1, planned.length),
      });
      // The disk shows whether a change was made, also if its last step failed after it was made.
      if (end !== 'finished') throw error;
      done.push(...rest);
    }
    this.#end(call, { ...entry, steps: done });
  }
}

/** Runs a step. A failure of the file system names the entry. */
function namingItsPath(step: Step, run: () => Step): Step {
  try {
    return run();
  } catch (error) {
    throw errnoOf(error) === undefined ? error : fileError(error, placesOf(step).map(displayPath).join(' → '));
  }
}

/** Returns the note about a change that a killed process left open. */
function recoveryNote(end: RecoveredEntry, { tool }: JournalEntry): string {
  const what = `A call of ${tool} in an earlier run was ended in the middle of its changes`;
  if (end === 'finished') return `${what}; all of them are there.`;
  return end === 'taken back' ? `${what}; they were taken back.` : `${what}; they were taken back, but for what something else changed since.`;
}

/**
 * Rejects early what would fail midway: paths that no earlier step touches must be in the expected state.
 * @returns the steps with the state found at those paths
 */
export function checkBeforehand(powers: StepPowers, steps: readonly Step[]): Step[] {
  const found = new Map<Step, Step>();
  for (const step of untouched(steps)) found.set(step, assertApplicable(powers, step));
  return steps.map((step) => found.get(step) ?? withContent(step));
}

/** Marks the content that an earlier step restores as stored, like everything that an undo restores. */
function withContent(step: Step): Step {
  if (step.kind === 'move' || step.before?.type !== 'file' || step.swap !== undefined) return step;
  return { ...step, before: { ...step.before, kept: true } };
}
