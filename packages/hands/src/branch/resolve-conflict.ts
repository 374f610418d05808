import { SynapseError } from '@synapse/protocol';
import { count } from '../text/amounts.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import type { BranchParts } from './apply-branch.ts';
import { MAX_MERGED_BYTES } from './base-log.ts';
import type { BranchConflict, PlaceSide } from './branch-conflict.ts';
import type { StoredBranch } from './branch-store.ts';
import { mergePlaces } from './conflict-places.ts';
import { findConflict, mergedIn, readVersions, type FoundConflict } from './read-conflict.ts';
import { resolve, type Content } from './resolutions.ts';

/**
 * What counts of a conflict: a version, the content of a file that has what both sides meant, or the lines of both sides with one of them, or both
 * after each other, at each place that both changed: the same for all places, or one for each in the order of the text.
 */
export type Choice = 'branch' | 'workspace' | Content | { readonly places: PlaceSide | readonly PlaceSide[] };

/** A line that only a text has in which a conflict is left. */
const MARK = /^(?:<{7} workspace|\|{7} base|>{7} branch)\r?$/mu;

/**
 * Notes what counts of a conflict. Nothing is changed before the branch is applied.
 *
 * @throws SynapseError `not_found` if there is no such conflict, `wrong_type` if one of its versions has no lines, `invalid_arguments` for a content
 *   in which a mark is left, or for another number of sides than there are places
 */
export async function resolveConflict(parts: BranchParts, stored: StoredBranch, path: string, choice: Choice): Promise<BranchConflict> {
  const { folder } = stored;
  // Before the versions are read: what is changed later was not seen.
  const at = await kernelTick(folder.path);
  const found = await findConflict(parts, stored, path);
  const { change, conflict } = found;
  const taken = typeof choice === 'object' && 'places' in choice ? merged(parts, stored, found, choice.places) : choice;
  if (typeof taken === 'object') assertTakeable(found, taken);
  resolve(folder.state, change, taken, at);
  return conflict;
}

function assertTakeable({ change, conflict: { path } }: FoundConflict, { content }: Content): void {
  if ([change.before, change.now].some((stat) => stat?.isDirectory() === true))
    throw new SynapseError('wrong_type', `${path} is a folder, so no file can take its place.`, { hint: 'Choose one of the versions.' });
  if (content.length > MAX_MERGED_BYTES)
    throw new SynapseError('too_large', 'The file has more than 2 MB.', { hint: 'Choose one of the versions, and change it after it is applied.' });
  const text = Buffer.from(content).toString();
  const mark = MARK.exec(text);
  if (mark === null) return;
  const line = text.slice(0, mark.index).split('\n').length;
  throw new SynapseError('invalid_arguments', `A mark of a conflict is left in the content, on line ${line}: ${mark[0].trimEnd()}`, {
    hint: 'Give the whole file as it should be, without marks.',
  });
}

function merged(parts: BranchParts, stored: StoredBranch, found: FoundConflict, sides: PlaceSide | readonly PlaceSide[]): Content {
  const { change, conflict } = found;
  const compared = mergedIn(change, readVersions(parts, stored, found));
  if (compared === undefined)
    throw new SynapseError('wrong_type', `${conflict.path} has no lines of both sides: one of them deleted it, or has no text in UTF-8.`, {
      hint: 'Choose one of the versions.',
    });
  const places = compared.places.filter(({ both }) => both).length;
  const given = typeof sides === 'string' ? Array.from({ length: places }, () => sides) : sides;
  if (given.length !== places)
    throw new SynapseError(
      'invalid_arguments',
      `Both sides changed ${count(places, 'place')} of ${conflict.path}, and ${given.length} were chosen.`,
      {
        hint: 'Look at it again, and give a side for each place in its order, or one for all.',
      },
    );
  return { content: Buffer.from(mergePlaces(compared.base, compared.places, given)) };
}
