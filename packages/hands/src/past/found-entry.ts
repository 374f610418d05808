import { lstatSync, readdirSync, readlinkSync, type BigIntStats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import { bytesBefore } from '../journal/step-text.ts';
import { isIt, look, placesIn } from '../journal/swap-entry.ts';
import { joinNames, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import { inodeIn, isSwap, loadName, type SetStep } from '../workspace/changes/step.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { entryType, namesIn } from '../workspace/list-entries.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { PastSource } from './past-tree.ts';

export type PastPowers = Pick<StepPowers, 'areas' | 'blobs' | 'confinement' | 'inodeMap'>;

const FOLDER: FoundEntry = { type: 'directory', read: () => Buffer.alloc(0) };
/** Maximum bytes of a file that is read. */
const MAX_BYTES = 512 * 1024 * 1024;

const PERMISSIONS = 0o777;

/** An entry of the past. */
export interface FoundEntry {
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** In bytes; undefined for what is no file. */
  readonly size?: number;
  /** The target of a link. */
  readonly target?: Name;
  /** Its permissions, without set-id bits; undefined if they depend on the umask. */
  readonly mode?: number;
  /** When its content was last changed, as the file system or the journal says, in nanoseconds since 1970; undefined if neither knows. */
  readonly modified?: bigint;
  /** The time of its last change in nanoseconds, for a file that no call changed since. */
  readonly changed?: bigint;
  /** Reads a file. @throws SynapseError if its content is not kept */
  readonly read: () => Buffer;
}

function notKept(path: string, reason: string): SynapseError {
  return new SynapseError('too_large', `The content of ${path} at that moment is not kept: ${reason}.`);
}

function fromStat(stat: BigIntStats, target: () => Buffer, read: () => Buffer | undefined, path: string): FoundEntry {
  const type = entryType(stat);
  return {
    type,
    ...(type === 'file' ? { size: Number(stat.size) } : {}),
    ...(type === 'link' ? {} : { mode: Number(stat.mode) & PERMISSIONS }),
    ...(type === 'link' ? { target: nameFromBytes(target()) } : {}),
    modified: stat.mtimeNs,
    read: () => {
      const bytes = read();
      if (bytes === undefined) throw notKept(path, 'the file cannot be read, or is too large');
      return bytes;
    },
  };
}

/** Opens the folder of the workspace that has a name; undefined if there is none. */
function openFolder({ confinement }: PastPowers, path: WorkspacePath): PinnedDirectory | undefined {
  try {
    return confinement.openDirectory(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Returns an entry of the workspace as it is; undefined if there is none. */
export function currentEntry(powers: PastPowers, path: WorkspacePath, shown: string): FoundEntry | undefined {
  const name = path.at(-1);
  if (name === undefined) return FOLDER;
  using folder = openFolder(powers, path.slice(0, -1));
  if (folder === undefined) return undefined;
  const stat = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const read = (): Buffer | undefined => {
    using again = openFolder(powers, path.slice(0, -1));
    return again === undefined ? undefined : readRegular(again.at(name), MAX_BYTES)?.bytes;
  };
  const found = fromStat(stat, () => readlinkSync(folder.at(name), { encoding: 'buffer' }), read, shown);
  return found.type !== 'file' || powers.inodeMap.isPutBack(stat) ? found : { ...found, changed: stat.ctimeNs };
}

/** The names in a folder of the workspace as it is. */
export function currentNames(powers: PastPowers, path: WorkspacePath): Name[] {
  using folder = openFolder(powers, path);
  return folder === undefined ? [] : namesIn(folder);
}

type Kept = Extract<PastSource, { kind: 'kept' }>;

/** Where an entry of a folder is that was replaced as a whole. */
function keptPlace(powers: PastPowers, { step, below }: Kept, path: string): string | Buffer {
  const whole = placesIn(powers, step, step.swap.keep).find((place) => isIt(powers, inodeIn(step.before), look(place)));
  if (whole === undefined) throw notKept(path, 'the folder that it was in is no longer there');
  const base = Buffer.isBuffer(whole) ? whole : Buffer.from(String(whole));
  return Buffer.concat([base, Buffer.from(joinNames('', below))]);
}

function keptEntry(powers: PastPowers, source: Kept, path: string): FoundEntry | undefined {
  const place = keptPlace(powers, source, path);
  const stat = look(place);
  if (stat === undefined) return undefined;
  return fromStat(
    stat,
    () => readlinkSync(place, { encoding: 'buffer' }),
    () => readRegular(place, MAX_BYTES)?.bytes,
    path,
  );
}

function replacedEntry(powers: PastPowers, step: SetStep, path: string): FoundEntry {
  const { before } = step;
  if (before?.type === 'link') return { type: 'link', target: loadName(before.target), read: () => Buffer.alloc(0) };
  if (before?.type !== 'file') return { type: 'other', read: () => Buffer.alloc(0) };
  const modified = before.modified ?? before.whole?.modified;
  return {
    type: 'file',
    size: before.size,
    ...(modified === undefined ? {} : { modified: BigInt(modified) }),
    ...(before.mode === null ? {} : { mode: before.mode & PERMISSIONS }),
    read: () => {
      const bytes = bytesBefore(powers, step, MAX_BYTES);
      if (bytes !== undefined) return bytes;
      const isTooLarge = !before.kept && !isSwap(step);
      throw notKept(path, isTooLarge ? `with ${size(before.size)}, it was more than the undo journal keeps` : 'it was removed from the undo journal');
    },
  };
}

type Finders = {
  readonly [Kind in PastSource['kind']]: (powers: PastPowers, source: Extract<PastSource, { kind: Kind }>, path: string) => FoundEntry | undefined;
};

const FINDERS: Finders = {
  absent: () => undefined,
  folder: () => FOLDER,
  now: (powers, source, path) => currentEntry(powers, source.path, path),
  kept: keptEntry,
  replaced: (powers, { step }, path) => replacedEntry(powers, step, path),
};

/** Returns the entry that a source names; undefined if there is none. @param path as shown, for errors */
export function foundEntry<Kind extends PastSource['kind']>(
  powers: PastPowers,
  source: Extract<PastSource, { kind: Kind }> & { readonly kind: Kind },
  path: string,
): FoundEntry | undefined {
  return FINDERS[source.kind](powers, source, path);
}

/** The names in the folder that a source names. */
export function namesOf(powers: PastPowers, source: PastSource, path: string): Name[] {
  if (source.kind === 'now') return currentNames(powers, source.path);
  if (source.kind !== 'kept') return [];
  return readdirSync(keptPlace(powers, source, path), { encoding: 'buffer' }).map(nameFromBytes);
}
