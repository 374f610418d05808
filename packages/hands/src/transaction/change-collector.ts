import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { areRefreshedIndexes } from '../journal/git-index.ts';
import { installedDepth, isBeyondOutput, isInstalledIfIgnored } from '../policy/tool-folders.ts';
import { fold } from '../policy/guarded-location.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { entryType } from '../workspace/list-entries.ts';
import { addTo, type TreeSize } from '../workspace/tree-cursor.ts';
import { PERMISSIONS, hasSameContent, type ChangeEntry, type LostContent } from './change-entry.ts';
import type { PlannedEntry, ReadChanges, WithheldEntry } from './planned-entry.ts';
import type { TouchedFolder } from './transaction.ts';
import { count } from '../text/amounts.ts';

/** Maximum number of folders of installed programs in a new folder that are judged each by itself. */
export const MAX_INSTALLED = 50;

/** Maximum number of entries of new folders that are looked up in the rules of git, for all changes of a command: about 50 ms. */
const MAX_IF_IGNORED = 10_000;
/** What tells git in a new folder what to ignore there, or that it is a repository with rules of its own. */
const IGNORE_RULES: ReadonlySet<string> = new Set(['.gitignore', '.git']);

/** A new folder, with what was found in it so far. */
export interface NewFolder extends TreeSize {
  beyondOutput?: string | undefined;
  installed?: string[] | undefined;
  ifIgnored?: string[] | undefined;
  isUnsure?: boolean | undefined;
}

/** What judges found out about an entry. */
interface Judged {
  readonly lost?: LostContent;
  readonly hasCaution: boolean;
}

const nothing = (): TreeSize => ({ files: 0, bytes: 0, entries: 0 });

/** Adds the folder of installed programs that an entry of a new folder begins, if it does. */
function addInstalled(around: NewFolder, path: string, names: readonly string[]): void {
  const { installed = [] } = around;
  // A folder comes before its content.
  if (installedDepth(names) === names.length && installed.length <= MAX_INSTALLED) around.installed = [...installed, path];
}

/** The changes of a command while they are read. */
export class ChangeCollector {
  readonly #changes: PlannedEntry[] = [];
  /** Index files of git whose content is the same as before. */
  readonly #refreshed = new Set<PlannedEntry>();
  readonly #withheld: WithheldEntry[] = [];
  readonly #touched: TouchedFolder[] = [];
  readonly #cautions = new Cautions();
  readonly #hash = createHash('sha256');
  #removed = 0;
  #ifIgnored = 0;
  #mostRemoved = { bytes: -1, path: '.' };
  /** Why the changes cannot be judged; undefined if they can. */
  unjudged: string | undefined;
  /** See {@link ReadChanges.hasCopies}. */
  hasCopies = false;

  get count(): number {
    return this.#changes.length;
  }

  /** Adds an entry that may be applied. In a new folder it counts as a part of that. Returns the folder that the content of a new one counts for. */
  add(entry: ChangeEntry, around: NewFolder | undefined, { lost, hasCaution }: Judged): NewFolder {
    const { location, name, now, upper } = entry;
    const path = displayPath(location);
    let change = around;
    if (change === undefined) change = this.#addChange(entry, path, lost);
    else addTo(change, now);
    const target = now.isSymbolicLink() ? readlinkSync(upper.at(name), 'latin1') : undefined;
    if (hasCaution || isBeyondOutput(path, target)) change.beyondOutput ??= path;
    if (around !== undefined) this.#addPrograms(around, path, now.isDirectory());
    return change;
  }

  /** Adds what an entry of a new folder may bring of installed programs. */
  #addPrograms(around: NewFolder, path: string, isFolder: boolean): void {
    // By name: a name can have another length when it is folded.
    const names = path.split('/').map(fold);
    addInstalled(around, path, names);
    if (IGNORE_RULES.has(names.at(-1) ?? '')) around.isUnsure = true;
    // Of a folder that is ignored, all content is.
    if (isFolder || !isInstalledIfIgnored(names)) return;
    around.ifIgnored ??= [];
    if (this.#ifIgnored >= MAX_IF_IGNORED) around.isUnsure = true;
    // Then one is as good as all.
    if (around.isUnsure === true && around.ifIgnored.length > 0) return;
    around.ifIgnored.push(path);
    this.#ifIgnored += 1;
  }

  /** Adds to what a command removed the content that an entry replaces. */
  #countReplaced({ before, isMerged }: ChangeEntry, path: string, lost: LostContent | undefined): void {
    if (before?.isFile() === true) this.#remove(path, Number(before.size));
    if (before?.isDirectory() === true && !isMerged) this.#remove(path, lost?.size.bytes ?? 0);
  }

  #addChange(entry: ChangeEntry, path: string, lost: LostContent | undefined): NewFolder {
    const { location, name, now, before, isMerged, upper, lower } = entry;
    const size = nothing();
    if (now.isFile()) addTo(size, now);
    this.#countReplaced(entry, path, lost);
    const isMetadata = isMerged || hasSameContent(entry);
    const kind = isMetadata ? 'metadata' : before === undefined ? 'added' : 'changed';
    // Read again: a judge may have taken bits away.
    const stat = lstatSync(upper.at(name), { bigint: true });
    const isTimeOnly = kind === 'metadata' && (stat.mode & PERMISSIONS) === ((before?.mode ?? 0n) & PERMISSIONS);
    const change = { location, path, kind, type: entryType(now), ...size, entries: 0, before, now: stat, isModeOnly: isMerged, isTimeOnly } as const;
    this.#changes.push(change);
    const isSameSize = kind === 'changed' && now.size === before?.size;
    if (isSameSize && name === 'index' && areRefreshedIndexes(upper.at(name), lower.at(name))) this.#refreshed.add(change);
    return change;
  }

  /** Adds a deletion. `lost` is what the deleted folder contained. */
  addDeleted({ location, before }: ChangeEntry, lost: LostContent | undefined): void {
    if (before === undefined) return;
    const path = displayPath(location);
    const size = nothing();
    if (lost === undefined) addTo(size, before);
    const { files, bytes } = lost?.size ?? size;
    this.#remove(path, bytes);
    const entries = lost?.size.entries ?? 0;
    const type = entryType(before);
    this.#changes.push({
      location,
      path,
      kind: 'deleted',
      type,
      files,
      bytes,
      entries,
      before,
      now: undefined,
      isModeOnly: false,
      isTimeOnly: false,
    });
  }

  /** Adds an entry that must not reach the workspace. */
  withhold({ location }: ChangeEntry, { reason, detail }: Pick<WithheldEntry, 'reason' | 'detail'>, isThere: boolean): void {
    const path = displayPath(location);
    this.#withheld.push({ path, reason, detail, location, isThere });
    this.#hash.update(JSON.stringify(['withheld', path]));
  }

  touch(folder: TouchedFolder): void {
    this.#touched.push(folder);
  }

  caution({ location }: ChangeEntry, says: string): void {
    this.#cautions.add(displayPath(location), says);
  }

  result(movesHidden: boolean): ReadChanges {
    const changes = this.#changes.filter((change) => !this.#isOnlyRefreshed(change));
    for (const { path, kind, now, before, files, bytes } of changes)
      this.#hash.update(JSON.stringify([path, kind, files, bytes, ...[now?.ino, now?.mode, now?.mtimeNs, now?.size, before?.ino].map(String)]));
    const applied = changes.filter(({ now }) => now !== undefined);
    return {
      changes,
      checkedOut: [],
      movesHidden,
      seenOutputs: [],
      withheld: this.#withheld,
      hasCopies: this.hasCopies,
      touched: this.#touched,
      cautions: this.#cautions.lines,
      unjudged: this.unjudged,
      files: applied.reduce((sum, { files }) => sum + files, 0),
      bytes: applied.reduce((sum, { bytes }) => sum + bytes, 0),
      fingerprint: this.#hash.digest('hex'),
      removed: { bytes: this.#removed, path: this.#mostRemoved.path },
    };
  }

  /**
   * Whether git only refreshed the file information in its index and changed nothing else in its repository. This is not applied:
   * it is not worth a question, and a forged index would hide changes from `git status`. Git refreshes it again.
   */
  #isOnlyRefreshed(change: PlannedEntry): boolean {
    if (!this.#refreshed.has(change)) return false;
    const folder = change.location.slice(0, -1);
    return !this.#changes.some((other) => !this.#refreshed.has(other) && folder.every((name, depth) => other.location[depth] === name));
  }

  #remove(path: string, bytes: number): void {
    this.#removed += bytes;
    if (bytes > this.#mostRemoved.bytes) this.#mostRemoved = { bytes, path };
  }
}

/** Maximum number of notices of a kind. */
const MAX_OF_A_KIND = 5;

/** The kinds that a command can make as many of as it likes without any harm, and that say least: they are shown last. */
const COMMON_KINDS: ReadonlyArray<readonly [start: string, kind: string]> = [
  ['is a link', 'links that lead out of the workspace'],
  ['does not get', 'without the rights of their owner (set-id bits)'],
];

/**
 * The notices about what a command changed. Limited for each kind: a command could otherwise make so many harmless entries that the notice
 * that matters is not shown.
 */
export class Cautions {
  readonly #kinds = new Map<string, { readonly lines: string[]; more: number }>();

  /** @param says what the notice says of the entry; also its kind, unless that is a common one */
  add(path: string, says: string): void {
    const key = COMMON_KINDS.find(([start]) => says.startsWith(start))?.[1] ?? says.replace(/^is /u, '');
    const known = this.#kinds.get(key) ?? { lines: [], more: 0 };
    this.#kinds.set(key, known);
    if (known.lines.length < MAX_OF_A_KIND) known.lines.push(`${path} ${says}`);
    else known.more += 1;
  }

  get lines(): readonly string[] {
    const isCommon = (kind: string): number => Number(COMMON_KINDS.some(([, one]) => one === kind));
    return [...this.#kinds]
      .toSorted(([one], [other]) => isCommon(one) - isCommon(other))
      .flatMap(([kind, { lines, more }]) => (more === 0 ? lines : [...lines, `${count(more, 'more entry', 'more entries')}: ${kind}`]));
  }
}
