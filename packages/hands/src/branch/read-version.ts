import { readlinkSync, type BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { sameContent } from '../transaction/change-entry.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { inodeOf } from '../workspace/changes/step.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { contentAt, MAX_MERGED_BYTES } from './base-log.ts';
import type { CommittedFile } from '../transaction/commit-store.ts';
import type { Version } from './decide-file.ts';
import { isProgram } from './merged-commits.ts';

/** An entry with its bytes, if a merge can use them. */
export interface ReadVersion {
  readonly version: Version | null;
  readonly bytes?: Buffer | undefined;
}

const modeOf = ({ mode }: BigIntStats): number => Number(mode) & 0o7777;

/** One side of a change; undefined if it cannot be read, or changes right now. */
export function readVersion(side: Confinement, { location }: PlannedEntry, stat: BigIntStats | undefined): ReadVersion | undefined {
  if (stat === undefined) return { version: null };
  if (stat.isDirectory()) return { version: { type: 'folder', mode: modeOf(stat) } };
  try {
    using folder: PinnedDirectory = side.openDirectory(location.slice(0, -1));
    const name = location.at(-1) ?? '';
    if (stat.isSymbolicLink()) return { version: { type: 'link', target: readlinkSync(folder.at(name), 'latin1') } };
    if (!stat.isFile()) return { version: { type: 'other' } };
    const found = contentAt(folder, name, location, stat);
    if (found === undefined) return undefined;
    const content = found.content ?? `inode ${inodeOf(stat)}`;
    return { version: { type: 'file', mode: modeOf(stat), content }, bytes: found.bytes };
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/** Whether both sides are the same file, which is too large to be read as a whole. */
export function isSameLarge(confinement: Confinement, upper: Confinement, { location, before, now }: PlannedEntry): boolean {
  if (before?.isFile() !== true || now?.isFile() !== true || now.size <= MAX_MERGED_BYTES || before.size !== now.size || before.mode !== now.mode)
    return false;
  const [parent, name] = [location.slice(0, -1), location.at(-1) ?? ''];
  using own = upper.openDirectory(parent);
  using other = confinement.openDirectory(parent);
  return sameContent(own.at(name), other.at(name));
}

/** A version as git would have it; undefined if it is none of a file. */
export function asFile(found: ReadVersion | undefined): CommittedFile | undefined {
  const { version, bytes } = found ?? {};
  return version?.type === 'file' && bytes !== undefined ? { bytes, isExecutable: isProgram(version.mode) } : undefined;
}
