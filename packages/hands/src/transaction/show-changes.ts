import { closeSync, constants, openSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { Capture } from '../workspace/changes/capture.ts';
import { storeName, storePath, type Image, type SetStep } from '../workspace/changes/step.ts';
import { isGitData } from '../danger/git-data.ts';
import { DryRunContents } from '../dry-run/dry-run-contents.ts';
import { showEffect, type ShownEffect } from '../dry-run/show-effect.ts';
import { count } from '../text/amounts.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import { isWhiteout } from './change-entry.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { TransactionParts } from './apply-changes.ts';
import { SETTINGS_CHANGE } from './change-judges.ts';
import { changeMeaning } from './change-meaning.ts';
import { openViews, type ChangeViews } from './overlay-view.ts';
import { foldChanges } from './fold-changes.ts';
import { showRepositories } from './show-repositories.ts';
import { cursorAt, type TreeCursor } from '../workspace/tree-cursor.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum number of entries to list. */
const MAX_SHOWN = 500;
/** Maximum bytes of a file to compare. Larger files are only named. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The file that is shown instead of that of the copy; undefined for most. */
type Replaced = (location: WorkspacePath) => { readonly bytes: Buffer; readonly mode: number } | undefined;

/** Options for a list of steps. */
interface ListOptions {
  /** Maximum number of entries. */
  readonly max?: number;
  readonly contents?: DryRunContents;
  readonly replaced?: Replaced;
}

/** One side of an entry, with its content if it can be compared. */
function imageAt(
  cursor: TreeCursor,
  entry: { readonly name: PlannedEntry['location'][number]; readonly stat: BigIntStats },
  contents: DryRunContents,
): Image {
  const { name, stat } = entry;
  const at = cursor.at(name);
  const mode = Number(stat.mode) & 0o7777;
  if (stat.isDirectory()) return { type: 'folder', mode };
  if (stat.isSymbolicLink()) return { type: 'link', target: storeName(nameFromBytes(readlinkSync(at, 'buffer'))) };
  if (!stat.isFile()) return { type: 'other' };
  const size = Number(stat.size);
  // Only the inode distinguishes it from other files of the same size.
  if (size > MAX_TEXT_BYTES) return { type: 'file', sha256: `inode-${stat.ino}`, size, mode, kept: false };
  const fd = openSync(at, READ);
  try {
    return { type: 'file', sha256: contents.keep(readFileSync(fd)), size, mode, kept: false };
  } finally {
    closeSync(fd);
  }
}

/** The changes as steps, up to a limit. */
export class ListedSteps {
  readonly steps: SetStep[] = [];
  readonly contents: DryRunContents;
  readonly #root: PinnedDirectory;
  readonly #upper: string;
  /** Number of entries inside new and deleted folders that can still be listed. Each change itself is listed before those. */
  #room: number;
  readonly #max: number;

  readonly #replaced: Replaced;

  /** @param changes the number of changes that are to be listed */
  constructor(
    { root }: Pick<ChangeViews, 'root'>,
    { upper }: Pick<TransactionArea, 'upper'>,
    changes: number,
    { max = MAX_SHOWN, contents = new DryRunContents(() => undefined), replaced }: ListOptions = {},
  ) {
    this.#root = root;
    this.#replaced = replaced ?? (() => undefined);
    this.#upper = upper;
    this.#max = max;
    this.#room = Math.max(0, max - changes);
    this.contents = contents;
  }

  /** Lists a new entry without what is below it. */
  addNew(location: WorkspacePath): void {
    this.steps.push({ kind: 'set', path: storePath(location), before: null, after: this.#side('now', location) });
  }

  /** Lists a change, with what is in the folders that it adds or deletes. Returns the number of its entries that are not listed. */
  add({ location, before, now, entries, isModeOnly }: PlannedEntry): number {
    const { steps } = this;
    if (steps.length >= this.#max) return 1 + entries;
    const first = steps.length;
    const sides = {
      before: before === undefined ? null : this.#side('before', location),
      after: now === undefined ? null : this.#side('now', location),
    };
    steps.push({ kind: 'set', path: storePath(location), ...sides });
    if (!isModeOnly && before?.isDirectory() === true) this.#addBelow('before', location);
    if (!isModeOnly && now?.isDirectory() === true) this.#addBelow('now', location);
    return Math.max(0, entries + 1 - (steps.length - first));
  }

  #cursor(side: 'before' | 'now', folder: WorkspacePath): TreeCursor {
    return side === 'now' ? cursorAt(this.#upper, folder, { owned: true }) : cursorAt(this.#root.self, folder, { standIn: this.#root.standIn });
  }

  #side(side: 'before' | 'now', location: WorkspacePath): Image | null {
    using cursor = this.#cursor(side, location.slice(0, -1));
    const name = location.at(-1);
    const stat = name === undefined ? undefined : cursor.stat(name);
    if (name === undefined || stat === undefined) return null;
    const replaced = side === 'now' ? this.#replaced(location) : undefined;
    if (replaced === undefined) return imageAt(cursor, { name, stat }, this.contents);
    const { bytes, mode } = replaced;
    return { type: 'file', sha256: this.contents.keep(bytes), size: bytes.length, mode, kept: false };
  }

  #addBelow(side: 'before' | 'now', folder: WorkspacePath): void {
    using cursor = this.#cursor(side, folder);
    const pending = [cursor.names()];
    for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
      const name = names.pop();
      if (name === undefined || this.#room === 0) {
        pending.pop();
        if (pending.length > 0) cursor.leave();
        continue;
      }
      const stat = cursor.stat(name);
      // A mark of a deletion, for a layer below that the workspace does not have.
      if (stat === undefined || (side === 'now' && isWhiteout(stat))) continue;
      this.#room -= 1;
      const image = imageAt(cursor, { name, stat }, this.contents);
      const sides = side === 'before' ? { before: image, after: null } : { before: null, after: image };
      this.steps.push({ kind: 'set', path: storePath([...cursor.location, name]), ...sides });
      if (!stat.isDirectory()) continue;
      cursor.enter(name);
      pending.push(cursor.names());
    }
  }
}

/** Orders changes: what a question is about first, new files last, because a command can make any number of them. */
function inOrder(files: readonly PlannedEntry[], { checkedOut }: ReadChanges): PlannedEntry[] {
  const paths = new Set(checkedOut.map(({ path }) => path));
  const {
    named = [],
    old = [],
    made = [],
  } = Object.groupBy(files, ({ path, before }) => (paths.has(path) ? 'named' : before === undefined ? 'made' : 'old'));
  return [...named, ...old, ...made];
}

/** Shows changes with diffs, and new and deleted folders with their content. */
export async function showChanges(
  { confinement, guards, powers, journal, ignored }: Pick<TransactionParts, 'confinement' | 'guards' | 'powers' | 'journal' | 'ignored'>,
  { area, read }: { readonly area: TransactionArea; readonly read: ReadChanges },
  signal: AbortSignal,
  replaced: Replaced = () => undefined,
): Promise<ShownEffect> {
  using views = openViews(confinement, area, read);
  // Git's data last, because its many objects would leave no room for the files.
  const { files: all = [], data = [] } = Object.groupBy(read.changes, ({ path }) => (isGitData(path.toLowerCase()) ? 'data' : 'files'));
  const { listed: files, folded, named: seen, unnamed } = await foldChanges(all, { area, read, views, ignored, signal });
  const list = new ListedSteps(views, area, files.length, { replaced });
  const { steps, contents } = list;
  for (const location of seen) list.addNew(location);
  const more = inOrder(files, read).reduce((sum, change) => sum + list.add(change), unnamed);
  const moreData = data.reduce((sum, change) => sum + list.add(change), 0);
  const omitted = read.withheld.map(({ path, detail }) => ({ path, reason: detail }));
  const effect = { steps, omitted, cautions: read.cautions, tooLarge: [], blocked: read.unjudged };
  const listed = await showEffect(effect, { ...powers(), blobs: contents, capture: new Capture(contents, journal.limits) }, guards.read, true);
  const { lines, changes: references } = await showRepositories(views, area, read, signal);
  const repositories = [...lines];
  if (moreData > 0) repositories.push(`git: ${count(moreData, 'further entry', 'further entries')} of its own data`);
  const isAsked = ({ path }: { readonly path: string }): boolean =>
    read.checkedOut.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  const changes = listed.changes.toSorted((one, other) => Number(isAsked(other)) - Number(isAsked(one)));
  const { sentences: meaning, settings } = changeMeaning({ views, read, listed: files, folded, references, shown: changes, mayRead: guards.read });
  const asked = changes.filter(isAsked).map(({ path }) => path);
  // The sentences say it already.
  const told = [...settings].map((path) => `${path} ${SETTINGS_CHANGE}`);
  const cautions = listed.cautions.filter((caution) => !told.some((start) => caution.startsWith(start)));
  const shown: ShownEffect = { ...listed, cautions, changes, asked, repositories, meaning, folded };
  // Temporary entries and changes of only a time are not shown, so `more` can be 0.
  return more === 0 ? shown : { ...shown, more: shown.more + more, cautions: [...shown.cautions, `${count(more, 'entry', 'entries')} not listed`] };
}
