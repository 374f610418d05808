import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, openSync, symlinkSync, unlinkSync, utimesSync, writeSync } from 'node:fs';
import type { AttributeWorker } from '../transaction/attribute-worker.ts';
import { setFileTimes, type TimedFile } from '../transaction/exact-attributes.ts';
import type { Name } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { removeByHandle } from '../workspace/remove-tree.ts';
import { cursorAt, turns, type TreeCursor } from '../workspace/tree-cursor.ts';
import { bytePath, isWithin, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { FoundEntry } from './found-entry.ts';
import type { PastWorkspace } from './past-workspace.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Opens the folder of a place; undefined if there is no such folder. */
function folderOf(copy: string, place: WorkspacePath): TreeCursor | undefined {
  try {
    return cursorAt(copy, place.slice(0, -1));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Maximum number of files to hold open until their times are set. */
const MAX_OPEN = 60;

/** Makes entries of the past in a copy of the workspace. */
class Restorer implements Disposable {
  readonly #past: PastWorkspace;
  readonly #attributes: AttributeWorker;
  readonly #rest: () => Promise<void> | undefined;
  readonly #signal: AbortSignal;
  readonly #made: TimedFile[] = [];

  constructor(past: PastWorkspace, attributes: AttributeWorker, signal: AbortSignal) {
    this.#past = past;
    this.#attributes = attributes;
    this.#rest = turns(signal);
    this.#signal = signal;
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#made.splice(0)) closeSync(descriptor);
  }

  async replace(folder: TreeCursor, place: WorkspacePath, entry: FoundEntry | undefined): Promise<void> {
    const name = place.at(-1) ?? '';
    const there = folder.stat(name);
    if (there?.isDirectory() === true) await removeByHandle(folder.self, name);
    else if (there !== undefined) unlinkSync(folder.at(name));
    if (entry !== undefined) await this.#make(folder, place, entry);
  }

  async #make(folder: TreeCursor, place: WorkspacePath, entry: FoundEntry): Promise<void> {
    await this.#rest();
    this.#signal.throwIfAborted();
    const name = place.at(-1) ?? '';
    if (entry.type === 'file') await this.#writeFile(folder, name, entry);
    if (entry.type === 'link') symlinkSync(entry.target ?? '', folder.at(name));
    if (entry.type !== 'directory') return;
    mkdirSync(folder.at(name));
    folder.enter(name);
    for (const child of this.#past.namesIn(place)) {
      const found = this.#past.entryAt([...place, child]);
      if (found !== undefined) await this.#make(folder, [...place, child], found);
    }
    folder.leave();
    // Last: in a folder that is closed to its owner, nothing can be made.
    if (entry.mode !== undefined) chmodSync(folder.at(name), entry.mode);
    if (entry.modified !== undefined) utimesSync(folder.at(name), secondsOf(entry.modified), secondsOf(entry.modified));
  }

  async #writeFile(folder: TreeCursor, name: Name, { read, mode, modified }: FoundEntry): Promise<void> {
    const bytes = read();
    const descriptor = openSync(folder.at(name), NEW_FILE, 0o666);
    using opened = new DisposableStack();
    opened.defer(() => closeSync(descriptor));
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    if (mode !== undefined) fchmodSync(descriptor, mode);
    if (modified === undefined) return;
    this.#made.push({ descriptor, modified });
    opened.move();
    if (this.#made.length >= MAX_OPEN) await this.setTimes();
  }

  /** Sets the times of what was made: searches answer newest first, and programs such as `make` compare times. */
  async setTimes(): Promise<void> {
    await setFileTimes(this.#attributes, this.#made, this.#signal);
    this[Symbol.dispose]();
  }
}

/**
 * Makes a copy of the workspace as the workspace was at a moment. Reads nothing of the copy, and follows no link in it.
 *
 * Files get the times that they had, as far as they are known.
 *
 * @param copy the folder of the copy
 * @throws SynapseError `too_large` if the content of a file is not kept; the copy is then half done
 */
export async function restorePast(past: PastWorkspace, copy: string, attributes: AttributeWorker, signal: AbortSignal): Promise<void> {
  using restorer = new Restorer(past, attributes, signal);
  let done: string | undefined;
  for (const place of past.tree.places()) {
    const key = bytePath(place);
    // It was made with the folder around it.
    if (done !== undefined && isWithin(key, done)) continue;
    const source = past.tree.sourceOf(place);
    if (source.kind === 'now' && bytePath(source.path) === key) continue;
    const entry = past.entryAt(place);
    using folder = folderOf(copy, place);
    if (folder === undefined && entry === undefined) continue;
    await restorer.replace(folder ?? cursorAt(copy, place.slice(0, -1)), place, entry);
    done = key;
  }
  await restorer.setTimes();
}
