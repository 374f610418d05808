import { rmdirSync, unlinkSync } from 'node:fs';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { judgeSteps } from '../journal/judge-steps.ts';
import { planChanges, planDeletion, planFolder, planMove, planTreeDeletion } from '../journal/plan-steps.ts';
import { placesOf, type Step } from '../journal/step.ts';
import { displayName, displayPath } from './byte-name.ts';
import { applyChanges, assertDistinct, type FileChange } from './change.ts';
import type { ChangeJournal } from './change-journal.ts';
import type { ChangeScope } from './change-scope.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import { deleteContents, surveyContents } from './delete-tree.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import { entryFacts, type EntryFacts } from './entry-facts.ts';
import { fileError } from './file-error.ts';
import type { FileLocks } from './file-lock.ts';
import { linkTarget, listEntries, namesIn, type ListOptions } from './list-entries.ts';
import { judgeChanges, judgeFolder, judgeMove, type ChangeJudgement } from './judge-changes.ts';
import { assertMovable, moveEntry } from './move-entry.ts';
import { openFolder, openRegular, type OpenFile } from './open-file.ts';
import type { ReadableRoots } from './readable-roots.ts';
import type { SpillStore } from './spill-store.ts';
import { ensureParent, isMissing, resolveTarget, type Target } from './target.ts';
import { assertCreatable, isInside, parseWorkspacePath, relativeGlob, unescapePath, type WorkspacePath } from './workspace-path.ts';

/** What a workspace is for one call. */
export interface WorkspaceUse {
  readonly guards: PlaceGuards;
  readonly signal: AbortSignal;
  /** Told of each place that a path of the call turned out to be. */
  readonly onResolved: (location: string) => void;
  /** Keeps what changes take away. */
  readonly journal: ChangeJournal;
}

/** What a workspace is made of. */
export interface WorkspaceParts {
  readonly confinement: Confinement;
  /** Names by which an absolute path may call the root: as configured and as it really is. */
  readonly rootNames: readonly string[];
  readonly locks: Pick<FileLocks, 'hold'>;
  readonly spills: SpillStore;
  readonly readable: ReadableRoots;
}

/** Places that one change locks one by one. */
const MAX_LOCKED = 1_000;

/**
 * The files that hands may touch, as one call sees them. Every path is resolved by handle here; no
 * tool reaches the disk in any other way.
 */
export class Workspace {
  readonly #parts: WorkspaceParts;
  readonly #guards: PlaceGuards;
  readonly #signal: AbortSignal;
  readonly #use: WorkspaceUse;
  readonly #judgement: ChangeJudgement;

  constructor(parts: WorkspaceParts, use: WorkspaceUse) {
    this.#parts = parts;
    this.#use = use;
    this.#guards = use.guards;
    this.#signal = use.signal;
    this.#judgement = { guards: use.guards, confinement: parts.confinement, signal: use.signal };
  }

  /** The root's real path; never shown to a model. */
  get root(): string {
    return this.#parts.confinement.root;
  }

  /** Reads a path as a model wrote it; throws where it leaves the workspace. */
  parse(path: string): WorkspacePath {
    if (this.#parts.spills.resolve(path) !== undefined) {
      throw new SynapseError('invalid_arguments', `${path} is stored output, which is only there to be read.`, {
        hint: 'Use it with read_file and search_text.',
      });
    }
    return parseWorkspacePath(path, this.#parts.rootNames);
  }

  /** A path as it is shown: relative to the root, what deceives the eye escaped. */
  display(path: string): string {
    return displayPath(this.parse(path));
  }

  /** A glob relative to the folder that is searched, where it was written with the root before it. */
  relativeGlob(glob: string, folder: string): string {
    return relativeGlob(glob, this.spillPath(folder) === undefined ? this.display(folder) : '.', this.#parts.rootNames);
  }

  /** Opens a file of the workspace, or of a folder that may be read besides, or a spill by its handle, for reading. */
  openFile(path: string): OpenFile {
    const spill = this.#parts.spills.open(path);
    if (spill !== undefined) return spill;
    if (!isInside(path, this.#parts.rootNames) && this.#parts.readable.covers(path)) {
      using place = this.#resolved(this.#parts.readable.open(path));
      this.#guards.read(place.location);
      return openRegular(place);
    }
    using entry = this.pin(path);
    this.#guards.read(entry.location);
    return this.#named(path, () => openRegular(entry));
  }

  /** Throws where a place that a path was found to lead to may not be read: for what is told of it without opening it here. */
  assertReadable(location: WorkspacePath): void {
    this.#guards.read(location);
  }

  /** Whether a file that a search found may be shown. */
  mayRead(path: string): boolean {
    if (this.#parts.spills.resolve(path) !== undefined) return true;
    try {
      this.#guards.read(this.parse(path));
      return true;
    } catch {
      // The reason is for those who name the file, not for those who come across it.
      return false;
    }
  }

  /** The real path of a stored output, to search it; undefined where the text is no handle of one. Never shown to a model. */
  spillPath(path: string): string | undefined {
    return this.#parts.spills.resolve(path);
  }

  /** Pins an existing entry, following links that stay inside. */
  pin(path: string): PinnedEntry {
    return this.#existing(path, (parsed) => this.#resolved(this.#parts.confinement.openEntry(parsed)));
  }

  /** Pins an existing directory, for a listing or as the working directory of a process. */
  openDirectory(path: string): PinnedDirectory {
    const open = (): PinnedDirectory => this.#existing(path, (parsed) => this.#resolved(this.#parts.confinement.openDirectory(parsed)));
    return openFolder(open, () => this.pin(path));
  }

  /** Lists a directory; `base` is what every path in it begins with. */
  list(path: string, options: Omit<ListOptions, 'signal'>): ReturnType<typeof listEntries> & { base: string } {
    using directory = this.openDirectory(path);
    const base = directory.location.length === 0 ? '' : `${displayPath(directory.location)}/`;
    return this.#named(path, () => ({ base, ...listEntries(directory, base, { ...options, signal: this.#signal }) }));
  }

  /** Facts about an entry itself: a link is described and not followed. */
  describe(path: string): EntryFacts {
    return this.#existing(path, (parsed) => {
      if (parsed.length === 0) {
        using entry = this.#parts.confinement.openEntry(parsed);
        return entryFacts('.', '.', entry.stat);
      }
      using target = resolveTarget(this.#parts.confinement, parsed, { followLink: false });
      const stat = present(target);
      const link = stat.isSymbolicLink() ? linkTarget(target.ancestor, target.name) : undefined;
      return entryFacts(displayPath(target.location), displayName(target.name), stat, link);
    });
  }

  /**
   * Changes files under their locks, all or none.
   * @param paths every path the change may touch
   * @param compute reads what is there and says what shall be; runs while no other call can change these files
   * @returns what `compute` gave, once the changes stand
   */
  async change<T>(paths: readonly string[], compute: (scope: ChangeScope) => Promise<T>): Promise<T> {
    await this.#use.journal.ready();
    const keys = paths.map((path) => this.#lockKey(path));
    return await this.#parts.locks.hold(keys, this.#signal, async () => {
      using resources = new DisposableStack();
      const targets = new Map<string, Target>();
      const changes: FileChange[] = [];
      for (const path of paths) targets.set(path, resources.use(this.#target(path)));
      const target = (path: string): Target => {
        const known = targets.get(path);
        if (known === undefined) throw new TypeError('A change touched a path it did not name.');
        return known;
      };
      for (const one of targets.values()) this.#resolved(one);
      const open: ChangeScope['open'] = (path) => {
        const { stat, location } = target(path);
        if (stat === undefined) return undefined;
        return this.#named(path, () => {
          using entry = this.#parts.confinement.openEntry(location);
          return resources.use(openRegular(entry));
        });
      };
      const result = await compute({
        open,
        openReadable: (path) => {
          this.#guards.read(target(path).location);
          return open(path);
        },
        write: (path, bytes, mode) => {
          changes.push({ kind: 'write', target: target(path), bytes, ...(mode === undefined ? {} : { mode }) });
        },
        delete: (path) => {
          const link = resources.use(this.#named(path, () => resolveTarget(this.#parts.confinement, this.parse(path), { followLink: false })));
          changes.push({ kind: 'delete', target: link.stat?.isSymbolicLink() === true ? link : target(path) });
        },
      });
      this.#signal.throwIfAborted();
      for (const change of changes) this.#guards.change(change.target.location);
      assertDistinct(changes);
      judgeChanges(this.#judgement, changes);
      this.#named(paths[0] ?? '.', () =>
        this.#use.journal.record(
          (capture) => planChanges(changes, capture),
          () => applyChanges(changes),
        ),
      );
      return result;
    });
  }

  /** Creates a directory and its parents; one that exists is fine. Says whether it was made. */
  async makeDirectory(path: string): Promise<boolean> {
    const parsed = this.parse(path);
    await this.#use.journal.ready();
    return this.#named(path, () => {
      if (parsed.length === 0) return false;
      using target = resolveTarget(this.#parts.confinement, parsed);
      if (target.stat?.isDirectory() === true) return false;
      if (target.stat !== undefined) throw new SynapseError('already_exists', `${displayPath(parsed)} exists and is not a folder.`);
      assertCreatable(parsed);
      this.#resolved(target);
      this.#guards.change(target.location);
      judgeFolder(this.#judgement, target.location);
      this.#use.journal.record(
        () => planFolder(target),
        () => ensureParent({ ...target, missing: [...target.missing, target.name] })[Symbol.dispose](),
      );
      return true;
    });
  }

  /** Deletes a file or a link; the place a link leads to is left alone. */
  async deleteFile(path: string): Promise<void> {
    await this.#use.journal.ready();
    await this.#parts.locks.hold([this.#lockKey(path, { followLink: false })], this.#signal, async () => {
      this.#existing(path, (parsed) => {
        using target = resolveTarget(this.#parts.confinement, parsed, { followLink: false });
        if (present(target).isDirectory()) {
          throw new SynapseError('wrong_type', `${displayPath(parsed)} is a folder.`, { hint: 'Use delete_directory for it.' });
        }
        this.#resolved(target);
        this.#guards.change(target.location);
        this.#use.journal.record(
          (capture) => planDeletion(target, capture),
          () => unlinkSync(target.ancestor.at(target.name)),
        );
      });
    });
  }

  /** Deletes a directory; says how many entries went with it. */
  async deleteDirectory(path: string, recursive: boolean): Promise<number> {
    await this.#use.journal.ready();
    return this.#existing(path, (parsed) => {
      using target = resolveTarget(this.#parts.confinement, parsed, { followLink: false });
      if (!present(target).isDirectory()) {
        throw new SynapseError('wrong_type', `${displayPath(parsed)} is not a folder.`, { hint: 'Use delete_file for it.' });
      }
      this.#resolved(target);
      this.#guards.change(target.location);
      using directory = target.ancestor.child(target.name);
      if (!recursive && namesIn(directory).length > 0) throw Object.assign(new Error('not empty'), { code: 'ENOTEMPTY' });
      const count = recursive ? surveyContents(directory, this.#guards.sweep, this.#signal) : 0;
      this.#use.journal.record(
        (capture) => planTreeDeletion(target, directory, recursive, capture, this.#signal),
        () => {
          if (recursive) deleteContents(directory, this.#signal);
          rmdirSync(target.ancestor.at(target.name));
        },
      );
      return count;
    });
  }

  /** Moves or renames a file, folder or link. */
  async move(from: string, to: string): Promise<void> {
    await this.#use.journal.ready();
    await this.#parts.locks.hold(
      [from, to].map((path) => this.#lockKey(path, { followLink: false })),
      this.#signal,
      async () => {
        this.#existing(from, (source) => {
          const destination = this.parse(to);
          using origin = resolveTarget(this.#parts.confinement, source, { followLink: false });
          using place = this.#named(to, () => resolveTarget(this.#parts.confinement, destination, { followLink: false }));
          assertCreatable(destination);
          this.#guards.change(origin.location);
          this.#resolved(origin);
          this.#guards.change(this.#resolved(place).location);
          assertMovable(origin, place);
          judgeMove(this.#judgement, origin.location, place.location);
          this.#use.journal.record(
            () => planMove(origin, place),
            () => moveEntry(origin, place),
          );
        });
      },
    );
  }

  /**
   * Takes changes back, all of them or none.
   * @param steps what is to happen, one by one
   * @param undoes the entries of the journal that they take back
   */
  async restore(steps: readonly Step[], undoes: readonly number[]): Promise<void> {
    await this.#apply(steps, this.#guards.change, () => {
      judgeSteps(this.#judgement, steps);
      this.#use.journal.apply(steps, undoes);
    });
  }

  /**
   * Makes the changes of a dry run that a person approved, or of a command that ran on a copy: exactly these, all of
   * them or none, and none where something is not any more as it was then.
   *
   * @param read gives the contents that are to be, by their hash
   */
  async carryOut(steps: readonly Step[], read: (sum: string) => Buffer | undefined): Promise<void> {
    await this.#apply(steps, this.#guards.effect, () => this.#use.journal.apply(steps, [], read));
  }

  /**
   * Exchanges entries with those of a transaction, which were judged one by one: all of them or none.
   *
   * @param steps exchanges of whole entries
   */
  async exchange(steps: readonly Step[]): Promise<void> {
    await this.#apply(
      steps,
      () => {},
      () => this.#use.journal.apply(steps, []),
    );
  }

  async #apply(steps: readonly Step[], guard: (location: WorkspacePath) => void, work: () => void): Promise<void> {
    await this.#use.journal.ready();
    const places = steps.flatMap(placesOf);
    // A lock is a file: of very many places the workspace as a whole stands for each.
    const locked = places.length > MAX_LOCKED ? [] : places;
    const keys = [this.root, ...locked.map((place) => `${this.root}/${displayPath(place)}`)];
    await this.#parts.locks.hold(keys, this.#signal, async () => {
      this.#signal.throwIfAborted();
      for (const location of places) guard(this.#resolved({ location }).location);
      this.#named('.', work);
    });
  }

  #resolved<T extends { readonly location: WorkspacePath }>(place: T): T {
    this.#use.onResolved(displayPath(place.location));
    return place;
  }

  #target(path: string): Target {
    const parsed = this.parse(path);
    return this.#named(path, () => {
      const target = resolveTarget(this.#parts.confinement, parsed);
      if (target.stat !== undefined) return target;
      const unescaped = unescapePath(parsed);
      if (unescaped !== undefined) {
        const other = resolveTarget(this.#parts.confinement, unescaped);
        if (other.stat !== undefined) {
          target[Symbol.dispose]();
          return other;
        }
        other[Symbol.dispose]();
      }
      try {
        assertCreatable(parsed);
      } catch (error) {
        target[Symbol.dispose]();
        throw error;
      }
      return target;
    });
  }

  /** One file has one key, by whatever link it is called; a link that is meant itself has its own. */
  #lockKey(path: string, options: { followLink?: boolean } = {}): string {
    const parsed = this.parse(path);
    return this.#named(path, () => {
      using target = resolveTarget(this.#parts.confinement, parsed, options);
      return `${this.root}/${displayPath(target.location)}`;
    });
  }

  /** Runs work on an existing place; where the name is missing as written, its `\xNN` escapes are read. */
  #existing<T>(path: string, work: (parsed: WorkspacePath) => T): T {
    const parsed = this.parse(path);
    try {
      return work(parsed);
    } catch (error) {
      const unescaped = isMissing(error) ? unescapePath(parsed) : undefined;
      if (unescaped === undefined) throw fileError(error, displayPath(parsed));
      return this.#named(path, () => work(unescaped));
    }
  }

  #named<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isSynapseError(error) || this.#signal.aborted) throw error;
      throw fileError(error, displayPath(this.parse(path)));
    }
  }
}

function present(target: Target): NonNullable<Target['stat']> {
  if (target.stat === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
  return target.stat;
}
