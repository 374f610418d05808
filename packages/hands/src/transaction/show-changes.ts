import { closeSync, constants, openSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs';
import { Capture, type JournalLimits } from '../workspace/changes/capture.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import { storeName, storePath, type Image, type Step } from '../workspace/changes/step.ts';
import { isGitData } from '../danger/git-data.ts';
import { DryRunContents } from '../dry-run/dry-run-contents.ts';
import { showEffect, type ShownEffect } from '../dry-run/show-effect.ts';
import { count } from '../text/amounts.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { SETTINGS_CHANGE } from './change-judges.ts';
import { changeMeaning } from './change-meaning.ts';
import { openViews } from './change-views.ts';
import { foldChanges, type Ignored } from './fold-changes.ts';
import { showRepositories } from './show-repositories.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Maximum number of entries to list. */
const MAX_SHOWN = 500;
/** Maximum bytes of a file to compare. Larger files are only named. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Shown {
  readonly confinement: Confinement;
  readonly guards: { readonly read: (location: WorkspacePath) => void };
  readonly powers: () => StepPowers;
  readonly limits: JournalLimits;
  readonly ignored: Ignored;
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

/** Shows changes with diffs, and new and deleted folders with their content. */
export async function showChanges(
  { confinement, guards, powers, limits, ignored }: Shown,
  { area, read }: { readonly area: TransactionArea; readonly read: ReadChanges },
  signal: AbortSignal,
): Promise<ShownEffect> {
  const contents = new DryRunContents(() => undefined);
  const steps: Step[] = [];
  let more = 0;
  using views = openViews(confinement, area, read);
  const { root } = views;
  const sideOf = (folder: string, location: WorkspacePath, owned: boolean): Image | null => {
    using cursor = owned ? new TreeCursor(folder, { owned }) : new TreeCursor(folder, { standIn: root.standIn });
    const name = location.at(-1);
    for (const part of location.slice(0, -1)) cursor.enter(part);
    const stat = name === undefined ? undefined : cursor.stat(name);
    return name === undefined || stat === undefined ? null : imageAt(cursor, { name, stat }, contents);
  };
  // Git's data last, because its many objects would leave no room for the files.
  const { files: all = [], data = [] } = Object.groupBy(read.changes, ({ path }) => (isGitData(path.toLowerCase()) ? 'data' : 'files'));
  const { listed: files, folded, named: seen, unnamed } = await foldChanges(all, { area, read, views, ignored, signal });
  // What a question is about first, new files last, because a command can make any number of them.
  const brought = new Set(read.brought.map(({ path }) => path));
  const {
    named = [],
    old = [],
    made = [],
  } = Object.groupBy(files, ({ path, before }) => (brought.has(path) ? 'named' : before === undefined ? 'made' : 'old'));
  /** Number of entries inside new and deleted folders that can still be listed. Each change itself is listed before those. */
  let room = Math.max(0, MAX_SHOWN - files.length);
  const below = (change: PlannedEntry, isGone: boolean): void => {
    using cursor = isGone ? new TreeCursor(root.self, { standIn: root.standIn }) : new TreeCursor(area.upper, { owned: true });
    for (const part of change.location) cursor.enter(part);
    const pending = [cursor.names()];
    for (let names = pending.at(-1); names !== undefined; names = pending.at(-1)) {
      const name = names.pop();
      if (name === undefined || room === 0) {
        pending.pop();
        if (pending.length > 0) cursor.leave();
        continue;
      }
      const stat = cursor.stat(name);
      if (stat === undefined) continue;
      room -= 1;
      const image = imageAt(cursor, { name, stat }, contents);
      steps.push({ kind: 'set', path: storePath([...cursor.location, name]), before: isGone ? image : null, after: isGone ? null : image });
      if (!stat.isDirectory()) continue;
      cursor.enter(name);
      pending.push(cursor.names());
    }
  };
  more += unnamed;
  for (const location of seen) steps.push({ kind: 'set', path: storePath(location), before: null, after: sideOf(area.upper, location, true) });
  let moreData = 0;
  for (const [index, change] of [...named, ...old, ...made, ...data].entries()) {
    const skip = (entries: number): void => {
      if (index < files.length) more += entries;
      else moreData += entries;
    };
    if (steps.length >= MAX_SHOWN) {
      skip(1 + change.entries);
      continue;
    }
    const first = steps.length;
    const before = change.before === undefined ? null : sideOf(root.self, change.location, false);
    const after = change.now === undefined ? null : sideOf(area.upper, change.location, true);
    steps.push({ kind: 'set', path: storePath(change.location), before, after });
    if (!change.isModeOnly && change.before?.isDirectory() === true) below(change, true);
    if (!change.isModeOnly && change.now?.isDirectory() === true) below(change, false);
    skip(Math.max(0, change.entries + 1 - (steps.length - first)));
  }
  const omitted = read.withheld.map(({ path, detail }) => ({ path, reason: detail }));
  const effect = { steps, omitted, cautions: read.cautions, tooLarge: [], blocked: read.unjudged };
  const listed = await showEffect(effect, { ...powers(), blobs: contents, capture: new Capture(contents, limits) }, guards.read, true);
  const { lines, changes: references } = await showRepositories(views, area, read, signal);
  const repositories = [...lines];
  if (moreData > 0) repositories.push(`git: ${count(moreData, 'further entry', 'further entries')} of its own data`);
  const isAsked = ({ path }: { readonly path: string }): boolean => read.brought.some((one) => path === one.path || path.startsWith(`${one.path}/`));
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
