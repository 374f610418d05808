import { isSynapseError, SynapseError } from '@synapse/protocol';
import { displayName, displayPath } from './byte-name.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import type { FileBuffers } from './file-buffers.ts';
import type { Masks } from './changes/masked-text.ts';
import type { PlaceGuards } from './place-guards.ts';
import { fileError } from './file-error.ts';
import type { FileLocks } from './file-lock.ts';
import { type Entry, entryType, linkTarget, listEntries, type ListOptions } from './list-entries.ts';
import type { ElsewhereSource } from './named-elsewhere.ts';
import { notOpened, type OpenFile, openRegular } from './open-file.ts';
import type { ReadableRoots } from './readable-roots.ts';
import type { SpillStore } from './spill-store.ts';
import { isMissing, resolveTarget, type Target } from './target.ts';
import { isInside, isSpillHandle, parseWorkspacePath, relativeGlob, unescapePath, type WorkspacePath } from './workspace-path.ts';
import type { BigIntStats } from 'node:fs';
import type { ChangeJournal } from './changes/capture.ts';

/** Details of one entry, beyond those of a listing. */
interface EntryFacts extends Entry {
  /** Permission bits. */
  readonly mode: number;
  /** Creation time in milliseconds since 1970. */
  readonly created: number;
  /** Number of hard links. */
  readonly links: number;
}

/** @param target the target of a link, as written in it */
function entryFacts(path: string, name: string, stat: BigIntStats, target?: string): EntryFacts {
  return {
    path,
    name,
    type: entryType(stat),
    size: Number(stat.size),
    modified: Number(stat.mtimeMs),
    created: Number(stat.birthtimeMs),
    mode: Number(stat.mode) & 0o7777,
    links: Number(stat.nlink),
    ...(target === undefined ? {} : { target }),
  };
}

/** The context of one call. */
export interface WorkspaceUse {
  readonly guards: PlaceGuards;
  readonly signal: AbortSignal;
  /** Called with each place that a path of the call resolved to. */
  readonly onResolved: (location: string) => void;
  /** Receives notes for the answer. */
  readonly onNote?: (note: string) => void;
  /** Records what changes remove. Opened by the first change. */
  readonly journal: () => ChangeJournal;
}

/** No command starts until this is disposed. */
export interface HeldCommands extends Disposable {
  /** Whether commands were already running. */
  readonly areRunning: boolean;
}

/** The dependencies of a workspace. */
export interface WorkspaceParts {
  readonly confinement: Confinement;
  /** The same with its repository if that is outside: what commands change, and undo takes back. Default: the same. */
  readonly whole?: Confinement;
  /** Absolute names of the root that paths may use: as configured, and its real path. */
  readonly rootNames: readonly string[];
  readonly locks: Pick<FileLocks, 'hold'>;
  readonly spills: SpillStore;
  readonly readable: ReadableRoots;
  readonly elsewhere: ElsewhereSource;
  /** Keeps commands from starting while files are moved. Default: commands cannot see the changes, such as those of a dry run. */
  readonly holdCommands?: () => HeldCommands;
  /** Unsaved texts of an editor. Default: none. */
  readonly buffers?: FileBuffers | undefined;
  /** What masks the secrets of the user in what calls return; undefined if there are none. */
  readonly masks?: (() => Promise<Masks> | undefined) | undefined;
}

/** The files of a workspace, as one call can read them. Resolves every path by handle. */
export class WorkspaceReader {
  protected readonly parts: WorkspaceParts;
  protected readonly use: WorkspaceUse;

  constructor(parts: WorkspaceParts, use: WorkspaceUse) {
    this.parts = parts;
    this.use = use;
  }

  /** The root's real path; never shown to a model. */
  get root(): string {
    return this.parts.confinement.root;
  }

  /** Parses a path from a model; throws if it leaves the workspace. */
  parse(path: string): WorkspacePath {
    if (isSpillHandle(path)) {
      throw new SynapseError('invalid_arguments', `${path} is stored output, which is only there to be read.`, {
        hint: 'Use it with read_file and search_text.',
      });
    }
    return parseWorkspacePath(path, this.parts.rootNames);
  }

  /** Formats a path for display: relative to the root, with misleading characters escaped. */
  display(path: string): string {
    return displayPath(this.parse(path));
  }

  /** Makes a glob relative to the searched folder if it begins with the root. */
  relativeGlob(glob: string, folder: string): string {
    return relativeGlob(glob, isSpillHandle(folder) ? '.' : this.display(folder), this.parts.rootNames);
  }

  /** Opens a file for reading: of the workspace, of a readable folder outside it, or a spill by its handle. */
  openFile(path: string): OpenFile {
    const spill = isSpillHandle(path) ? this.parts.spills.open(path) : undefined;
    if (spill !== undefined) return spill;
    if (!isInside(path, this.parts.rootNames) && this.parts.readable.covers(path)) {
      using place = this.resolved(this.parts.readable.open(path));
      this.use.guards.read(place.location);
      return openRegular(place);
    }
    using entry = this.pin(path);
    this.use.guards.read(entry.location);
    return this.named(path, () => openRegular(entry));
  }

  /** The same with the text that an editor shows and has not saved, if there is one. */
  async openShown(path: string): Promise<OpenFile> {
    const file = this.openFile(path);
    const { buffers, rootNames, confinement } = this.parts;
    if (buffers === undefined || isSpillHandle(path) || (!isInside(path, rootNames) && this.parts.readable.covers(path))) return file;
    try {
      const { shownText } = await import('./shown-text.ts');
      const { signal, onNote = () => {} } = this.use;
      const shown = await shownText(file, { confinement, buffers, signal, onNote });
      if (shown === undefined) return file;
      onNote(`${displayPath(file.location)} has unsaved changes in the editor: this is the text there. Commands and searches see the file on disk.`);
      return shown.file;
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /** Notes a file that a search read by handle. */
  noteRead(location: string): void {
    this.use.onResolved(location);
  }

  /** Throws if a resolved path may not be read, for operations that reveal its content without opening it here. */
  assertReadable(location: WorkspacePath): void {
    this.use.guards.read(location);
  }

  /** Whether a file that a search found may be shown, or a folder listed. */
  mayRead(path: string): boolean {
    if (isSpillHandle(path)) return true;
    try {
      this.use.guards.read(this.parse(path));
      return true;
    } catch {
      // The reason is only for callers that name the file, not for those that find it.
      return false;
    }
  }

  /** Whether a place is outside the root folder: it is not watched with it. */
  isApart(location: WorkspacePath): boolean {
    return this.parts.confinement.isApart?.(location) === true;
  }

  /** Returns the real path of a stored output, to search it; undefined if the text is not a handle. Never shown to a model. */
  spillPath(path: string): string | undefined {
    return this.parts.spills.resolve(path);
  }

  /** Pins an existing entry; follows links that stay inside. */
  pin(path: string): PinnedEntry {
    return this.existing(path, (parsed) => this.resolved(this.parts.confinement.openEntry(parsed)));
  }

  /** Pins an existing directory, for a listing or as the working directory of a process. */
  openDirectory(path: string): PinnedDirectory {
    try {
      return this.existing(path, (parsed) => this.resolved(this.parts.confinement.openDirectory(parsed)));
    } catch (error) {
      throw notOpened(error, () => this.pin(path));
    }
  }

  /** The workspace as a listing of a folder shows it: what is found there is opened in the same version. */
  asListed(folder: WorkspacePath): WorkspaceReader {
    return this.#of(folder, 'folder');
  }

  /** Pins the folder of an existing entry, in the version that has the entry. */
  openFolderOf(location: WorkspacePath): PinnedDirectory {
    return this.#of(location, 'entry').openDirectory(displayPath(location.slice(0, -1)));
  }

  /** Lists a directory; `base` is the prefix of every path in it. */
  list(path: string, options: Omit<ListOptions, 'signal' | 'mayList'>): ReturnType<typeof listEntries> & { base: string } {
    using directory = this.openDirectory(path);
    const base = directory.location.length === 0 ? '' : `${displayPath(directory.location)}/`;
    return this.named(path, () => ({
      base,
      ...listEntries(directory, base, { ...options, mayList: (folder) => this.mayRead(folder), signal: this.use.signal }),
    }));
  }

  /** Describes an entry itself; does not follow a link. */
  describe(path: string): EntryFacts {
    return this.existing(path, (parsed) => {
      if (parsed.length === 0) {
        using entry = this.parts.confinement.openEntry(parsed);
        return entryFacts('.', '.', entry.stat);
      }
      const { confinement } = this.parts;
      using target = resolveTarget(confinement.sourceOf?.(parsed, 'entry') ?? confinement, parsed, { followLink: false });
      const stat = present(target);
      const link = stat.isSymbolicLink() ? linkTarget(target.ancestor, target.name) : undefined;
      return entryFacts(displayPath(target.location), displayName(target.name), stat, link);
    });
  }

  #of(location: WorkspacePath, as: 'folder' | 'entry'): WorkspaceReader {
    const confinement = this.parts.confinement.sourceOf?.(location, as);
    return confinement === undefined ? this : new WorkspaceReader({ ...this.parts, confinement }, this.use);
  }

  /** Reports a resolved place to the call. */
  protected resolved<T extends { readonly location: WorkspacePath }>(place: T): T {
    this.use.onResolved(displayPath(place.location));
    return place;
  }

  /** Runs work on an existing place. If the literal name is missing, decodes its `\xNN` escapes and retries. */
  protected existing<T>(path: string, work: (parsed: WorkspacePath) => T): T {
    const parsed = this.parse(path);
    try {
      return work(parsed);
    } catch (error) {
      const unescaped = isMissing(error) ? unescapePath(parsed) : undefined;
      if (unescaped === undefined) throw fileError(error, displayPath(parsed));
      return this.named(path, () => work(unescaped));
    }
  }

  /** Runs work on a path; errors name the path. */
  protected named<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isSynapseError(error) || this.use.signal.aborted) throw error;
      throw fileError(error, displayPath(this.parse(path)));
    }
  }
}

/** Returns the state of an entry that must exist. */
export function present(target: Target): NonNullable<Target['stat']> {
  if (target.stat === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
  return target.stat;
}
