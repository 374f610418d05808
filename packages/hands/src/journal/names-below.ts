import type { Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { namesIn } from '../workspace/list-entries.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** Returns the names in a folder; an empty list if the folder does not exist. */
export function namesBelow(confinement: Confinement, path: WorkspacePath): Name[] {
  try {
    using folder = confinement.openDirectory(path);
    return namesIn(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
