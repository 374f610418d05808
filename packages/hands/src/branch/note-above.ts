import { lstatSync } from 'node:fs';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { Bases } from './base-log.ts';
import type { StoredBranch } from './branch-store.ts';
import { CloneManifest } from './clone-manifest.ts';

/**
 * Notes for the branches that are based on an applied one that the workspace has now what they began with: else each file that both changed
 * would count as changed by the workspace. What the applied branch changed after such a branch was made, that one may not have seen, and is
 * left out. Folders only count as not moved there by others: the times of what is in them stay.
 *
 * @param applied the entries as the layer had them before
 */
export function noteAbove(above: readonly StoredBranch[], workspace: Confinement, applied: readonly PlannedEntry[]): void {
  if (above.length === 0) return;
  const placed = applied.flatMap(({ location, now }) => {
    if (now === undefined) return [];
    using folder = workspace.openDirectory(location.slice(0, -1));
    const stat = lstatSync(folder.at(location.at(-1) ?? ''), { bigint: true, throwIfNoEntry: false });
    return stat?.ino === now.ino ? [{ location, now, stat }] : [];
  });
  const entries = placed.flatMap(({ location, now, stat }) => {
    if (now.isDirectory()) return [];
    // The same file, and not changed since: moving it changed nothing but its ctime.
    const isSame = stat.mtimeNs === now.mtimeNs && stat.size === now.size && stat.mode === now.mode;
    return isSame ? [{ location, at: stat.ctimeNs + 1n, changed: now.ctimeNs }] : [];
  });
  for (const { folder, record } of above) {
    const startedAt = BigInt(record.startedAt);
    Bases.brought(
      folder.state,
      placed.filter(({ now }) => now.isDirectory()),
    );
    const bases = new Bases(folder.state, startedAt, CloneManifest.of(folder));
    Bases.applied(
      folder.state,
      entries.filter(({ location, changed }) => changed < startedAt && !bases.had(location)),
    );
  }
}
