import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { errnoOf } from '../workspace/file-error.ts';
import type { BranchFolder } from './branch-folder.ts';

/** Names that are folders, words of a command line, and a part of a name of a git branch. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/u;

/** Words that mean something else where a branch is named. */
const RESERVED: ReadonlySet<string> = new Set(['auto', 'workspace']);

const BranchRecord = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(NAME),
  /** Real path of the workspace. */
  root: z.string(),
  /** The branch that it is based on; null for the workspace. */
  from: z.string().nullable(),
  /** ISO 8601. */
  created: z.iso.datetime(),
  /** Time after which a change of the workspace is not from before the branch, in nanoseconds since 1970. */
  startedAt: z.string().regex(/^\d+$/u),
  /** The folder of its audit log, beside that of the workspace. It stays when the branch is dropped. */
  audit: z.string(),
});
export type BranchRecord = z.infer<typeof BranchRecord>;

/** @throws SynapseError `invalid_arguments` for a name that a branch cannot have */
export function assertBranchName(name: string): void {
  if (NAME.test(name) && !name.includes('..') && !name.endsWith('.lock') && !RESERVED.has(name)) return;
  if (RESERVED.has(name))
    throw new SynapseError('invalid_arguments', `A branch cannot be named ${name}: that word means something else where a branch is named.`, {
      hint: 'Choose another name, such as fix-login.',
    });
  throw new SynapseError('invalid_arguments', `A branch cannot be named ${JSON.stringify(name.slice(0, 70))}.`, {
    hint: 'Use up to 63 lowercase letters, digits, dots, hyphens and underscores, such as fix-login, with a letter or digit at both ends, without two dots in a row, and without .lock at the end.',
  });
}

/** For work on a branch that was deleted since it was found. A new one of its name is another branch. */
export function deletedSince(name: string): SynapseError {
  return new SynapseError('not_found', `Branch not found: ${name}`, {
    hint: 'It was deleted meanwhile. List the branches: synapse branch list',
  });
}

/** Atomic: a branch with half a record would count as none. */
export function writeRecord(folder: BranchFolder, record: BranchRecord): void {
  const temporary = `${folder.record}.new`;
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
  renameSync(temporary, folder.record);
}

/** The record of a branch; undefined if there is none. */
export function readRecord(folder: BranchFolder): BranchRecord | undefined {
  let text: string;
  try {
    text = readFileSync(folder.record, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  const read = BranchRecord.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new SynapseError('unavailable', 'The record of a branch is damaged.', {
    hint: `What was changed in it is in its folder: ${folder.upper}`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
