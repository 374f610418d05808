import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { BlobStore } from '../journal/blob-store.ts';
import { JournalDatabase } from '../journal/journal-database.ts';
import { workspaceId } from '../state/state-folder.ts';
import { displayName, displayPath, type Name } from '../workspace/byte-name.ts';
import { openRoot } from '../workspace/open-root.ts';
import { parseWorkspacePath, unescapePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { findMoment, type Moment, type Side } from './find-moment.ts';
import { foundEntry, namesOf, type FoundEntry, type PastPowers } from './found-entry.ts';
import { PastTree, type PastSource } from './past-tree.ts';

/** An entry of a folder at a moment. */
export interface PastEntry {
  readonly path: string;
  readonly type: FoundEntry['type'];
  /** In bytes, for a file. */
  readonly size?: number;
  /** The target of a link. */
  readonly target?: string;
  /** Something else than a call changed it since, or may have: what is shown is as it is now. */
  readonly changed_since?: true;
}

/** Maximum number of links in a path, as on Linux. */
const MAX_LINKS = 40;

/** A workspace as it was right before or after a call. Nothing is changed to show it. */
export class PastWorkspace implements Disposable {
  readonly moment: Moment;
  readonly tree: PastTree;
  readonly powers: PastPowers;
  readonly #rootNames: readonly string[];
  readonly #owned: DisposableStack;

  private constructor(moment: Moment, powers: PastPowers, rootNames: readonly string[], owned: DisposableStack) {
    this.moment = moment;
    this.powers = powers;
    this.tree = new PastTree(moment.since.flatMap(({ steps }) => steps.toReversed()));
    this.#rootNames = rootNames;
    this.#owned = owned;
  }

  /**
   * Opens the workspace as it was at a moment.
   *
   * @param call the id of any recorded call, or the beginning of it
   * @throws SynapseError `not_found` for an unknown call, and for one that the undo journal does not reach
   */
  static open(folder: string, stateFolder: string, call: string, side: Side): PastWorkspace {
    using owned = new DisposableStack();
    const { confinement, rootNames } = openRoot(folder, stateFolder);
    owned.use(confinement);
    const journal = join(stateFolder, 'journal', workspaceId(confinement.root));
    // Before the first change there is none.
    mkdirSync(journal, { recursive: true, mode: 0o700 });
    const database = owned.use(new JournalDatabase(join(journal, 'journal.db')));
    const moment = findMoment({ stateFolder, root: confinement.root, database }, call, side);
    const areas = join(stateFolder, 'transactions', workspaceId(confinement.root));
    const powers = { areas, blobs: new BlobStore(join(journal, 'content')), confinement, inodeMap: database.inodeMap };
    return new PastWorkspace(moment, powers, rootNames, owned.move());
  }

  [Symbol.dispose](): void {
    this.#owned.dispose();
  }

  /** Whether an entry, which no call changed since, was changed by something else, or may have been. */
  isChangedSince({ changed }: FoundEntry): boolean {
    return changed !== undefined && changed > BigInt(this.moment.time) * 1_000_000n;
  }

  /** Lists a folder: folders first, then the rest, each by name. */
  list(path: string): PastEntry[] {
    const { place, source } = this.#resolve(path);
    const found = foundEntry(this.powers, source, displayPath(place));
    if (found?.type !== 'directory')
      throw found === undefined ? missing(place) : new SynapseError('wrong_type', `${displayPath(place)} is no folder.`);
    const entries = this.namesIn(place).flatMap((name): PastEntry[] => {
      const one = [...place, name];
      const entry = this.entryAt(one);
      if (entry === undefined) return [];
      return [
        {
          path: displayPath(one),
          type: entry.type,
          ...(entry.size === undefined ? {} : { size: entry.size }),
          ...(entry.target === undefined ? {} : { target: displayName(entry.target) }),
          ...(this.isChangedSince(entry) ? { changed_since: true } : {}),
        },
      ];
    });
    const rank = ({ type }: PastEntry): number => Number(type !== 'directory');
    return entries.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
  }

  /** The kind of an entry; links are followed. @throws SynapseError `not_found` */
  typeOf(path: string): FoundEntry['type'] {
    const { place, source } = this.#resolve(path);
    const found = foundEntry(this.powers, source, displayPath(place));
    if (found === undefined) throw missing(place);
    return found.type;
  }

  /** Reads a file; links are followed. @throws SynapseError `not_found`, `wrong_type`, or `too_large` if the content is not kept */
  read(path: string): {
    readonly bytes: Buffer;
    readonly changedSince: boolean;
  } {
    const { place, source } = this.#resolve(path);
    const found = foundEntry(this.powers, source, displayPath(place));
    if (found === undefined) throw missing(place);
    if (found.type !== 'file') throw new SynapseError('wrong_type', `${displayPath(place)} is no file.`);
    return { bytes: found.read(), changedSince: this.isChangedSince(found) };
  }

  /** When a file was last changed then, in nanoseconds since 1970, with its path; undefined if there is no such file, or that is not known. */
  timeOf(path: string): { readonly path: string; readonly modified: bigint } | undefined {
    const place = this.parse(path);
    const { type, modified } = this.entryAt(place) ?? {};
    return type !== 'file' || modified === undefined ? undefined : { path: displayPath(place), modified };
  }

  /** The entry at a place whose folders are no links; undefined if there is none. */
  entryAt(place: WorkspacePath): FoundEntry | undefined {
    return foundEntry(this.powers, this.tree.sourceOf(place), displayPath(place));
  }

  /** The names in a folder, with those of entries that are absent. */
  namesIn(place: WorkspacePath): Name[] {
    const names = [...namesOf(this.powers, this.tree.sourceOf(place), displayPath(place)), ...this.tree.named(place)];
    return [...new Map(names.map((name) => [displayName(name), name])).values()];
  }

  /** Parses a path of the workspace. @throws SynapseError `outside_workspace` */
  parse(path: string): WorkspacePath {
    const parsed = parseWorkspacePath(path, this.#rootNames);
    return unescapePath(parsed) ?? parsed;
  }

  /** Follows links as they were. They may not lead out of the workspace. */
  #resolve(path: string): {
    readonly place: WorkspacePath;
    readonly source: PastSource;
  } {
    const rest = [...this.parse(path)];
    let place: Name[] = [];
    for (let links = 0; rest.length > 0;) {
      const name = rest.shift() ?? '';
      const target = this.entryAt([...place, name])?.target;
      if (target === undefined) {
        place.push(name);
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw new SynapseError('outside_workspace', `${path} leads through too many links.`);
      const text = displayName(target);
      rest.unshift(...this.parse(text.startsWith('/') ? text : `${displayPath(place)}/${text}`));
      place = [];
    }
    return { place, source: this.tree.sourceOf(place) };
  }
}

const missing = (place: WorkspacePath): SynapseError =>
  new SynapseError('not_found', `File not found at that moment: ${displayPath(place)}`, { hint: 'List the folder that it should be in.' });
