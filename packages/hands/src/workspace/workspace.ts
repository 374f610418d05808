import { until } from '../events/timing.ts';
import { rmdirSync, unlinkSync } from 'node:fs';
import { isSynapseError, SynapseError } from '@synapse/protocol';
import { planChanges, planDeletion, planFolder, planMove, planTreeDeletion } from './changes/plan-steps.ts';
import { placesOf, type Step } from './changes/step.ts';
import { displayPath } from './byte-name.ts';
import { applyChanges, assertDistinct, type FileChange, type ChangeScope } from './changes/change.ts';
import { deleteContents, surveyContents } from './changes/delete-tree.ts';
import { namesIn } from './list-entries.ts';
import { judgeChanges, judgeDeletion, judgeFolder, judgeMove, judgeSteps, type ChangeJudgement } from './changes/judge-changes.ts';
import { assertMovable, moveEntry } from './changes/move-entry.ts';
import { openRegular, type OpenFile } from './open-file.ts';
import type { ShownText } from './shown-text.ts';
import { ensureParent, resolveTarget, type Target } from './target.ts';
import { assertCreatable, unescapePath, type WorkspacePath } from './workspace-path.ts';
import { present, WorkspaceReader } from './workspace-reader.ts';

/** Maximum number of places that one change locks individually. */
const MAX_LOCKED = 1_000;

/**
 * The files that hands can access, as seen by one call. Resolves every path by handle; tools have no
 * other access to the disk.
 */
export class Workspace extends WorkspaceReader {
  /**
   * Changes files under their locks, all or none.
   * @param paths every path that the change may touch
   * @param compute reads the files and requests the changes; runs while no other call can change these files
   * @returns the result of `compute`, after the changes are made
   */
  async change<T>(paths: readonly string[], compute: (scope: ChangeScope) => Promise<T>): Promise<T> {
    await this.use.journal().ready();
    const keys = paths.map((path) => this.#lockKey(path));
    return await this.parts.locks.hold(keys, this.use.signal, async () => {
      using resources = new DisposableStack();
      const targets = new Map<string, Target>();
      const changes: FileChange[] = [];
      const judgement = await this.#judgement();
      for (const path of paths) targets.set(path, resources.use(this.#target(path)));
      const target = (path: string): Target => {
        const known = targets.get(path);
        if (known === undefined) throw new TypeError('A change touched a path it did not name.');
        return known;
      };
      for (const one of targets.values()) this.resolved(one);
      const shown = this.parts.buffers === undefined ? undefined : await this.#shownTexts([...targets.values()], resources);
      const openTarget = (one: Target): OpenFile | undefined => {
        if (one.stat === undefined) return undefined;
        const text = shown?.get(one);
        if (text !== undefined) return text.file;
        using entry = this.parts.confinement.openEntry(one.location);
        return resources.use(openRegular(entry));
      };
      const open: ChangeScope['open'] = (path) => this.named(path, () => openTarget(target(path)));
      const result = await compute({
        open,
        openReadable: (path) => {
          this.use.guards.read(target(path).location);
          return open(path);
        },
        write: (path, bytes, mode) => {
          changes.push({ kind: 'write', target: target(path), bytes, ...(mode === undefined ? {} : { mode }) });
        },
        delete: (path) => {
          const link = resources.use(this.named(path, () => resolveTarget(this.parts.confinement, this.parse(path), { followLink: false })));
          changes.push({ kind: 'delete', target: link.stat?.isSymbolicLink() === true ? link : target(path) });
        },
      });
      this.use.signal.throwIfAborted();
      for (const change of changes) this.use.guards.change(change.target.location);
      assertDistinct(changes);
      judgeChanges(judgement, changes);
      const masks = this.parts.masks?.();
      if (masks !== undefined) {
        const { assertUnmasked } = await import('./changes/masked-text.ts');
        await assertUnmasked(changes, await masks, openTarget);
      }
      if (
        shown !== undefined &&
        changes.some(({ kind, target: one }) => kind === 'write' && shown.has(one)) &&
        (await this.#changeShown(changes, shown))
      )
        return result;
      this.named(paths[0] ?? '.', () =>
        this.use.journal().record(
          (capture) => planChanges(changes, capture),
          () => applyChanges(changes),
        ),
      );
      return result;
    });
  }

  /** The texts of an editor for files that this call may read. */
  async #shownTexts(targets: readonly Target[], resources: DisposableStack): Promise<Map<Target, ShownText>> {
    const { shownText } = await import('./shown-text.ts');
    const { confinement, buffers } = this.parts;
    const { signal, onNote = () => {} } = this.use;
    const found = new Map<Target, ShownText>();
    for (const target of targets) {
      if (buffers === undefined || target.stat?.isFile() !== true || !this.#mayReadAt(target.location)) continue;
      using entry = confinement.openEntry(target.location);
      const file = resources.use(openRegular(entry));
      const shown = await shownText(file, { confinement, buffers, signal, onNote });
      if (shown !== undefined) found.set(target, shown);
    }
    return found;
  }

  #mayReadAt(location: WorkspacePath): boolean {
    try {
      this.use.guards.read(location);
      return true;
    } catch (error) {
      if (isSynapseError(error)) return false;
      throw error;
    }
  }

  /** Changes files of which an editor shows unsaved texts. Returns false in a dry run, which only plans. */
  async #changeShown(changes: readonly FileChange[], shown: ReadonlyMap<Target, ShownText>): Promise<boolean> {
    const { confinement, buffers, holdCommands } = this.parts;
    const { signal, onNote = () => {} } = this.use;
    const journal = this.use.journal();
    const { recordMade } = journal;
    if (buffers === undefined || recordMade === undefined) return false;
    const { changeShown } = await import('./changes/change-shown.ts');
    await changeShown({ changes, shown, buffers, journal: { ...journal, recordMade }, holdCommands, confinement, signal, onNote });
    return true;
  }

  /** Creates a directory and its parents, if missing. Returns whether it was created. */
  async makeDirectory(path: string): Promise<boolean> {
    const parsed = this.parse(path);
    await this.use.journal().ready();
    const judgement = await this.#judgement();
    return this.named(path, () => {
      if (parsed.length === 0) return false;
      using target = resolveTarget(this.parts.confinement, parsed);
      if (target.stat?.isDirectory() === true) return false;
      if (target.stat !== undefined)
        throw new SynapseError('already_exists', `${displayPath(parsed)} exists and is not a folder.`, { hint: 'Choose another name.' });
      assertCreatable(parsed, target.missing.length + 1);
      this.resolved(target);
      this.use.guards.change(target.location);
      judgeFolder(judgement, target.location);
      this.use.journal().record(
        () => planFolder(target),
        () => ensureParent({ ...target, missing: [...target.missing, target.name] })[Symbol.dispose](),
      );
      return true;
    });
  }

  /** Deletes a file, or a link but not its target. */
  async deleteFile(path: string): Promise<void> {
    await this.use.journal().ready();
    await this.parts.locks.hold([this.#lockKey(path, { followLink: false })], this.use.signal, async () => {
      const judgement = await this.#judgement();
      this.existing(path, (parsed) => {
        using target = resolveTarget(this.parts.confinement, parsed, { followLink: false });
        if (present(target).isDirectory()) {
          throw new SynapseError('wrong_type', `${displayPath(parsed)} is a folder.`, { hint: 'Use delete_directory for it.' });
        }
        this.resolved(target);
        this.use.guards.change(target.location);
        judgeDeletion(judgement, target.location);
        this.use.journal().record(
          (capture) => planDeletion(target, capture),
          () => unlinkSync(target.ancestor.at(target.name)),
        );
      });
    });
  }

  /** Deletes a directory; returns the number of entries deleted with it. */
  async deleteDirectory(path: string, recursive: boolean): Promise<number> {
    await this.use.journal().ready();
    const judgement = await this.#judgement();
    return this.existing(path, (parsed) => {
      using target = resolveTarget(this.parts.confinement, parsed, { followLink: false });
      if (!present(target).isDirectory()) {
        throw new SynapseError('wrong_type', `${displayPath(parsed)} is not a folder.`, { hint: 'Use delete_file for it.' });
      }
      this.resolved(target);
      this.use.guards.change(target.location);
      judgeDeletion(judgement, target.location);
      using directory = target.ancestor.child(target.name);
      if (!recursive && namesIn(directory).length > 0) throw Object.assign(new Error('not empty'), { code: 'ENOTEMPTY' });
      const count = recursive ? surveyContents(directory, this.use.guards.sweep, this.use.signal) : 0;
      this.use.journal().record(
        (capture) => planTreeDeletion(target, directory, recursive, capture, this.use.signal),
        () => {
          if (recursive) deleteContents(directory, this.use.signal);
          rmdirSync(target.ancestor.at(target.name));
        },
      );
      return count;
    });
  }

  /** Moves or renames a file, folder or link. */
  async move(from: string, to: string): Promise<void> {
    await this.use.journal().ready();
    await this.parts.locks.hold(
      [from, to].map((path) => this.#lockKey(path, { followLink: false })),
      this.use.signal,
      async () => {
        const judgement = await this.#judgement();
        this.existing(from, (source) => {
          const destination = this.parse(to);
          using origin = resolveTarget(this.parts.confinement, source, { followLink: false });
          using place = this.named(to, () => resolveTarget(this.parts.confinement, destination, { followLink: false }));
          assertCreatable(destination, place.stat === undefined ? place.missing.length + 1 : 0);
          this.use.guards.change(origin.location);
          this.resolved(origin);
          this.use.guards.change(this.resolved(place).location);
          assertMovable(origin, place);
          using held = this.parts.holdCommands?.();
          judgeMove({ ...judgement, areRunning: held?.areRunning === true }, origin.location, place.location);
          this.use.journal().record(
            () => planMove(origin, place),
            () => moveEntry(origin, place),
          );
        });
      },
    );
  }

  /**
   * Undoes changes, all of them or none.
   * @param steps the steps to apply, in order
   * @param undoes the journal entries that they undo
   * @param approved files that other programs execute, whose change a person approved by name
   */
  async restore(steps: readonly Step[], undoes: readonly number[], approved: ReadonlySet<string>): Promise<void> {
    const { confinement, whole = confinement } = this.parts;
    const found = await this.#judgement();
    const guards: ChangeJudgement['guards'] = {
      ...found.guards,
      approved: (location, isFolder, reason) => approved.has(displayPath(location)) || found.guards.approved(location, isFolder, reason),
    };
    const judgement = { ...found, guards, confinement: whole };
    await this.#apply(steps, this.use.guards.change, (staged) => {
      judgeSteps(judgement, staged, (step, maxBytes) => this.use.journal().bytesAfter(step, maxBytes));
      this.use.journal().apply(staged, undoes);
    });
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
      (staged) => this.use.journal().apply(staged, []),
    );
  }

  async #apply(steps: readonly Step[], guard: (location: WorkspacePath) => void, work: (steps: readonly Step[]) => void): Promise<void> {
    await this.use.journal().ready();
    const places = steps.flatMap(placesOf);
    // A lock is a file. For very many places, only the workspace as a whole is locked.
    const locked = places.length > MAX_LOCKED ? [] : places;
    const keys = [this.root, ...locked.map((place) => `${this.root}/${displayPath(place)}`)];
    await this.parts.locks.hold(keys, this.use.signal, async () => {
      this.use.signal.throwIfAborted();
      for (const location of places) guard(this.resolved({ location }).location);
      const staged = await this.use.journal().stage(steps);
      try {
        this.named('.', () => work(staged.steps));
      } finally {
        await staged.settle();
      }
    });
  }

  /** What is needed to judge a change, as of now. */
  async #judgement(): Promise<ChangeJudgement> {
    const { confinement, elsewhere } = this.parts;
    const { guards, signal } = this.use;
    return { guards, confinement, elsewhere: await until(elsewhere.current(), signal), signal };
  }

  #target(path: string): Target {
    const parsed = this.parse(path);
    return this.named(path, () => {
      const target = resolveTarget(this.parts.confinement, parsed);
      if (target.stat !== undefined) return target;
      const unescaped = unescapePath(parsed);
      if (unescaped !== undefined) {
        const other = resolveTarget(this.parts.confinement, unescaped);
        if (other.stat !== undefined) {
          target[Symbol.dispose]();
          return other;
        }
        other[Symbol.dispose]();
      }
      try {
        assertCreatable(parsed, target.missing.length + 1);
      } catch (error) {
        target[Symbol.dispose]();
        throw error;
      }
      return target;
    });
  }

  /** Returns one key per file, regardless of links to it. A link that is itself the target has its own key. */
  #lockKey(path: string, options: { followLink?: boolean } = {}): string {
    const parsed = this.parse(path);
    return this.named(path, () => {
      using target = resolveTarget(this.parts.confinement, parsed, options);
      return `${this.root}/${displayPath(target.location)}`;
    });
  }
}
