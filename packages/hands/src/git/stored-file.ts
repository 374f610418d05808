import { SynapseError } from '@synapse/protocol';
import { blobArguments, treeArguments, treeEntryArguments } from './git-arguments.ts';
import { splitRecords, RecordSplitter } from '../text/record-splitter.ts';
import type { Repository } from './repository.ts';
import { commitArgument } from './revision.ts';
import { shortId } from './short-id.ts';

/** Number of bytes to search for a NUL, as in git. */
const BINARY_PROBE_BYTES = 8_000;
/** Maximum bytes of one content that are read; equals the size of a spill. */
const MAX_CONTENT_BYTES = 64 * 1024 * 1024;
/** Maximum number of entries listed of one folder. */
const MAX_FOLDER_ENTRIES = 1_000;

/** An entry of a tree object. */
export interface TreeEntry {
  /** Octal, as git writes it: 120000 is a link, 160000 a submodule. */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly object: string;
  /** Size of a blob in bytes, else 0. */
  readonly size: number;
  readonly path: Buffer;
}

// The size is BAD for a missing content, and a dash for entries that are not files.
const ENTRY = /^(\d{6}) (blob|tree|commit) ([0-9a-f]{40,64}) +(\d+|-|BAD)$/u;

/** Parses a record of `git ls-tree -l -z`: facts, a tab, the path. */
export function parseTreeEntry(record: Buffer): TreeEntry | undefined {
  const tab = record.indexOf(0x09);
  const match = ENTRY.exec(record.subarray(0, Math.max(0, tab)).toString('latin1'));
  if (match === null) return undefined;
  const [, mode = '', type, object = '', size] = match;
  if (type !== 'blob' && type !== 'tree' && type !== 'commit') return undefined;
  return { mode, type, object, size: Number(size) || 0, path: record.subarray(tab + 1) };
}

async function treeEntry(repository: Repository, revision: string, path: string): Promise<TreeEntry> {
  if (repository.path === undefined) return { mode: '040000', type: 'tree', object: commitArgument(revision), size: 0, path: Buffer.alloc(0) };
  const output: Buffer[] = [];
  await repository.run({ arguments: treeEntryArguments(revision, repository.path), onOutput: (chunk) => void output.push(chunk), revision, path });
  const entry = splitRecords(Buffer.concat(output)).map(parseTreeEntry)[0];
  if (entry !== undefined) return entry;
  throw new SynapseError('not_found', `File not found in ${revision}: ${path}`, {
    hint: 'Use git_log with "files": true to see where it was moved or deleted.',
  });
}

async function listFolder(repository: Repository, tree: string, revision: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  const enough = new AbortController();
  const prefix = Buffer.from(repository.path === undefined ? '' : `${repository.path}/`);
  let left = MAX_FOLDER_ENTRIES;
  const splitter = new RecordSplitter((record) => {
    const entry = parseTreeEntry(record);
    left -= 1;
    if (entry === undefined || left < 0) return;
    const name = repository.display(Buffer.concat([prefix, entry.path]));
    onChunk(Buffer.from(entry.type === 'blob' ? `${name} ${entry.size}\n` : `${name}/\n`));
    if (left === 0) enough.abort();
  });
  await repository.run({ arguments: treeArguments(tree), onOutput: (chunk) => void splitter.write(chunk), enough: enough.signal, revision });
}

/** Streams a content; stops and throws if it is binary. */
async function readBlob(repository: Repository, entry: TreeEntry, path: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  const enough = new AbortController();
  let seen = 0;
  let binary = false;
  await repository.run({
    arguments: blobArguments(entry.object),
    onOutput(chunk) {
      binary ||= seen < BINARY_PROBE_BYTES && chunk.subarray(0, BINARY_PROBE_BYTES - seen).includes(0);
      seen += chunk.length;
      if (!binary) onChunk(chunk);
      if (binary || seen >= MAX_CONTENT_BYTES) enough.abort();
    },
    enough: enough.signal,
    path,
  });
  if (!binary) return;
  throw new SynapseError('binary_file', `${path} is a binary file there (${entry.size} bytes).`, { hint: 'git_log tells which commits changed it.' });
}

/** Reads what a path was at a revision: a file's content, a link's target or a folder's entries. */
export async function readAtRevision(
  repository: Repository,
  revision: string,
  path: string,
  onChunk: (chunk: Buffer) => void,
): Promise<{ type: 'file' | 'link' | 'folder'; size: number }> {
  const entry = await treeEntry(repository, revision, path);
  if (entry.type === 'commit') {
    throw new SynapseError('wrong_type', `${path} is a submodule, at commit ${shortId(entry.object)} there.`, {
      hint: 'Use git_show with "path" of a file in it, or git_log with its folder as "path".',
    });
  }
  if (entry.type === 'tree') {
    await listFolder(repository, entry.object, revision, onChunk);
    return { type: 'folder', size: 0 };
  }
  await readBlob(repository, entry, path, onChunk);
  return { type: entry.mode === '120000' ? 'link' : 'file', size: entry.size };
}
