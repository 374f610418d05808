import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { JournalDatabase, type JournalEntry } from '../journal/journal-database.ts';
import { areasOf } from '../journal/kept-areas.ts';
import { completeIds, entriesOfCall } from '../journal/select-entries.ts';
import { isSwap, look } from '../journal/swap-entry.ts';
import { workspaceId } from '../state/state-folder.ts';
import { inodeOf } from '../workspace/changes/step.ts';
import { TreeCopy } from '../workspace/copy-tree.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import type { StoredBranch } from './branch-store.ts';

/** Where the journal and the replaced entries of a workspace are, in a state folder. */
const placesIn = (stateFolder: string, root: string) => ({
  journal: join(stateFolder, 'journal', workspaceId(root)),
  areas: join(stateFolder, 'transactions', workspaceId(root)),
});

/**
 * Gives a new branch what it takes to undo the calls of the workspace since a call, that one included. Returns their number.
 *
 * @param call its id, or the beginning of it
 * @throws SynapseError `not_found` for a call that changed nothing, `conflict` for one that was undone
 */
export async function copyPast(stateFolder: string, { folder, record: { root } }: StoredBranch, call: string, signal: AbortSignal): Promise<number> {
  const [from, to] = [placesIn(stateFolder, root), placesIn(folder.state, root)];
  for (const path of [join(to.journal, 'content'), to.areas]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const entries: JournalEntry[] = [];
  let calls: readonly string[];
  {
    using database = new JournalDatabase(join(from.journal, 'journal.db'));
    const { call: whole } = completeIds(database, { call });
    entriesOfCall(database, whole);
    const standing = database.standingCalls(undefined, undefined);
    calls = standing.slice(0, standing.indexOf(whole) + 1);
    if (calls.length === 0) throw undone(whole);
    for (const one of calls) entries.push(...database.done({ call: one }));
    database.copyTo(join(to.journal, 'journal.db'));
  }
  shareContents(join(from.journal, 'content'), join(to.journal, 'content'));
  const links = join(to.areas, 'links');
  mkdirSync(links);
  const copy = new TreeCopy(links, signal);
  const areas = new Set(entries.flatMap(({ steps }) => [...areasOf(steps)]));
  for (const area of areas)
    if (existsSync(join(from.areas, area))) await copy.copy({ folder: from.areas, name: area }, { folder: to.areas, name: area });
  await removeTree(links);
  using database = new JournalDatabase(join(to.journal, 'journal.db'));
  // The copies have other inodes than what the journal knows.
  for (const { swap } of entries.flatMap(({ steps }) => steps.filter(isSwap))) {
    const [original, made] = [from, to].map((places) => look(join(places.areas, swap.area, 'old', String(swap.slot))));
    if (original !== undefined && made !== undefined) database.inodeMap.follow(inodeOf(original), inodeOf(made));
  }
  return calls.length;
}

/** Forgets what {@link copyPast} copied: calls in the branch have a journal of their own. */
export async function forgetPast({ folder, record: { root } }: StoredBranch): Promise<void> {
  for (const path of Object.values(placesIn(folder.state, root))) await removeTree(path);
}

/** Contents in the journal never change, so both can have the same files. */
function shareContents(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target, { recursive: true, mode: 0o700 });
      shareContents(source, target);
      continue;
    }
    try {
      linkSync(source, target);
    } catch {
      // The file system has no links.
      copyFileSync(source, target);
    }
  }
}

function undone(call: string): SynapseError {
  return new SynapseError('conflict', `The call ${call.slice(0, 64)} was undone already, so the workspace is as before it.`, {
    hint: 'Make the branch without --at.',
  });
}
