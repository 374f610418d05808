import { createHash } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, openSync, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { parentOf } from '../danger/tree-view.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { hasSameContent, type ChangeEntry } from './change-entry.ts';

/** Maximum bytes of an object that is read at once, and uncompressed. Larger ones are read in parts. */
const MAX_AT_ONCE = 1024 * 1024;
/** Maximum bytes of an object, uncompressed. A small file can stand for very many. */
const MAX_OBJECT_BYTES = 16 * 1024 * 1024 * 1024;
/** The objects of a repository, or of a submodule, by the name. */
const GIT_STORE = /(?:^|\/)[^/]*\.git\/(?:(?:modules|worktrees)\/(?!.*\/(?:refs|logs)\/).+\/)?objects$/u;
const STORE = String.raw`^(?<store>(?:.*\/)?objects)\/`;
const OBJECT = new RegExp(String.raw`${STORE}(?<head>[\da-f]{2})\/(?<rest>[\da-f]{38}(?:[\da-f]{24})?)$`, 'u');
/** A pack of objects, or what says which are where in it. git takes them by any name. */
const PACK = new RegExp(String.raw`${STORE}pack\/[^/]+\.(?:pack|(?<index>idx))$`, 'u');
/** An index of several packs. git makes one only where it is configured or asked to, and needs none. */
const PACKS_INDEX = new RegExp(String.raw`${STORE}pack\/multi-pack-index[^/]*(?:\/.*)?$`, 'u');
/** What git takes the history from, in place of the commits. */
const GRAPH = new RegExp(String.raw`${STORE}info\/(?:commit-graph|commit-graphs\/[^/]+)$`, 'u');
/** Characters of a name by SHA-1. */
const SHA1_LENGTH = 40;
/** Checks an index of a pack, by the pack beside it. */
export type PackCheck = (location: ChangeEntry['location']) => Promise<boolean>;

/** Checks a graph of commits by the commits. */
export type GraphCheck = (entry: ChangeEntry) => Promise<boolean>;

/** What is known of the repositories of a workspace. */
export interface ObjectChecks {
  readonly isPackIndexTrue: PackCheck;
  readonly isGraphTrue: GraphCheck;
  /** Whether a folder is a repository by its content, whatever its name. One character of its path is one byte (latin1). */
  readonly isRepository: (folder: string) => boolean;
}

/** The parts of a path in a store of objects; undefined for other paths. */
function inStore(
  { location }: ChangeEntry,
  pattern: RegExp,
  { isRepository }: Pick<ObjectChecks, 'isRepository'>,
): Record<string, string> | undefined {
  const groups = pattern.exec(bytePath(location))?.groups;
  const store = groups?.['store'];
  return store !== undefined && (GIT_STORE.test(store) || isRepository(parentOf(store))) ? groups : undefined;
}

/** What makes git show something else than what was committed, in no diff and no commit; undefined if an entry does not. */
export async function falseObject(entry: ChangeEntry, checks: ObjectChecks): Promise<string | undefined> {
  const { now, before, name, upper } = entry;
  if (now.isDirectory() || hasSameContent(entry)) return undefined;
  const { head, rest } = inStore(entry, OBJECT, checks) ?? {};
  if (head !== undefined) {
    // What was damaged may be repaired.
    if (now.isFile() && (await isNamed(upper.at(name), `${head}${rest}`, now.size))) return undefined;
    return before?.isFile() === true ? CHANGED : FALSE_NAME;
  }
  const pack = inStore(entry, PACK, checks);
  if (pack === undefined) return undefined;
  if (before?.isFile() === true) return CHANGED;
  return pack['index'] === undefined || (await checks.isPackIndexTrue(entry.location)) ? undefined : FALSE_INDEX;
}

const CHANGED = 'git never changes an object, and would show this for what was committed';
const FALSE_NAME = 'it is not the object of this name, and git would show it for what was committed';
const FALSE_INDEX = 'it does not fit its pack, and git would show other objects for those that were committed';

/** Whether an entry tells git which object is where in several packs. */
export const isPacksIndex = (entry: ChangeEntry, checks: ObjectChecks): boolean => inStore(entry, PACKS_INDEX, checks) !== undefined;

/** Whether an entry makes git show another history than its commits have. */
export async function isFalseGraph(entry: ChangeEntry, checks: ObjectChecks): Promise<boolean> {
  if (entry.now.isDirectory() || inStore(entry, GRAPH, checks) === undefined || hasSameContent(entry)) return false;
  return !(await checks.isGraphTrue(entry));
}

/** Whether a file is an object with that name. */
async function isNamed(path: string | Buffer, name: string, size: bigint): Promise<boolean> {
  const sum = createHash(name.length === SHA1_LENGTH ? 'sha1' : 'sha256');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const small = size <= MAX_AT_ONCE && fstatSync(fd).size <= MAX_AT_ONCE ? smallObject(readFileSync(fd)) : undefined;
    if (small !== undefined) return sum.update(small).digest('hex') === name;
    let left = MAX_OBJECT_BYTES;
    await pipeline(createReadStream('', { fd, start: 0, autoClose: false }), createInflate(), async (bytes: AsyncIterable<Buffer>) => {
      for await (const chunk of bytes) {
        left -= chunk.length;
        if (left < 0) throw new Error('Too large.');
        sum.update(chunk);
      }
    });
    return sum.digest('hex') === name;
  } catch {
    // It is not compressed as one, or too large.
    return false;
  } finally {
    closeSync(fd);
  }
}

/** The content of a small object; undefined if it is larger. */
function smallObject(bytes: Buffer): Buffer | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_AT_ONCE });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
