import type { BranchParts } from './apply-branch.ts';
import type { BranchConflict } from './branch-conflict.ts';
import type { StoredBranch } from './branch-store.ts';
import { markConflicts, type ConflictPlace } from './conflict-places.ts';
import { findConflict, mergedIn, placesIn, readVersions, type ConflictVersion, type ReadVersion, type ThreeVersions } from './read-conflict.ts';

/** Maximum characters of all places together. */
const MAX_SHOWN = 200_000;

/** A conflict with its three versions. */
export interface ShownConflict extends BranchConflict {
  readonly versions: Readonly<Record<keyof ThreeVersions, ConflictVersion>>;
  /** The places in which the versions differ; empty if one of them is no text. */
  readonly places: readonly ConflictPlace[];
  /** Number of places that are not listed. */
  readonly more: number;
  /** Whether the lines of both sides can be merged, with a side for each place that both changed. */
  readonly mergeable: boolean;
  /** The text with marks of all versions where both sides changed it, as git writes them; undefined if one of them is no text. */
  readonly marked?: string;
}

const told = ({ what, isText }: ReadVersion): ConflictVersion => ({ what, isText });

/**
 * Shows a conflict with the version that the branch began with, that of the branch, and that of the workspace.
 *
 * @throws SynapseError `not_found` if there is no such conflict
 */
export async function showConflict(parts: BranchParts, stored: StoredBranch, path: string): Promise<ShownConflict> {
  const found = await findConflict(parts, stored, path);
  const read = readVersions(parts, stored, found);
  const versions = { base: told(read.base), branch: told(read.branch), workspace: told(read.workspace) };
  const compared = placesIn(read);
  if (compared === undefined) return { ...found.conflict, versions, places: [], more: 0, mergeable: false };
  const places = firstOf(compared.places);
  const more = compared.places.length - places.length;
  const marked = markConflicts(compared.base, compared.places);
  return { ...found.conflict, versions, places, more, mergeable: mergedIn(found.change, read) !== undefined, marked };
}

/** The places that are not too much together. */
function firstOf(places: readonly ConflictPlace[]): readonly ConflictPlace[] {
  let room = MAX_SHOWN;
  return places.filter(({ before, after, ...place }) => {
    const lines = [before, after, place.base.lines, place.branch.lines, place.workspace.lines].flat();
    room -= lines.reduce((sum, line) => sum + line.length, 0);
    return room >= 0;
  });
}
