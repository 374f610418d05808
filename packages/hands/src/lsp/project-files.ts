import { statSync, type PathLike, type Stats } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { size } from '../text/amounts.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { displayText } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { ServerRow } from './server-table.ts';

/** Maximum size of a file that describes a project, in bytes. Lock files of large monorepos have some 10 MB. */
const MAX_PROJECT_FILE_BYTES = 64 * 1024 * 1024;

/** Creates the error for what a language server cannot read to its end. */
export function notAFile(path: string, is = 'a named pipe'): SynapseError {
  return new SynapseError('unavailable', `${displayText(path)} is ${is}, and the language server reads it.`, {
    hint: 'Remove it, or put a file in its place.',
  });
}

/** What a path leads to; undefined if it leads nowhere, such as a link in a circle. The server cannot read that either. */
function statIfReachable(path: PathLike): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Throws if a file that describes the project of a source file is not a regular file, or is huge: the server would wait for it, or end. */
export function assertReadable(open: () => PinnedDirectory, { manifests }: Pick<ServerRow, 'manifests'>, path: string): void {
  const names = manifests.map((name) => name.replace('*', ''));
  using root = open();
  const folders = path.split('/').slice(0, -1);
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const prefix = folders
      .slice(0, depth)
      .map((folder) => `${folder}/`)
      .join('');
    for (const name of names) {
      const stat = statIfReachable(root.at(prefix + name));
      if (stat === undefined || stat.isDirectory()) continue;
      if (!stat.isFile()) throw notAFile(prefix + name, stat.isFIFO() ? 'a named pipe' : 'no regular file');
      if (stat.size > MAX_PROJECT_FILE_BYTES) throw notAFile(prefix + name, `${size(stat.size)} large`);
    }
  }
}
