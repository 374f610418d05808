import { quote, say, type SafeText } from '../evidence/safe-text.ts';
import type { Manifest } from './read-metadata.ts';

/** Where the commands of a manifest run, in words; nothing where that is the top folder. */
export function inFolderOf({ path }: Pick<Manifest, 'path'>): SafeText {
  const end = path.lastIndexOf('/');
  return end === -1 ? say`` : say` in ${quote(path.slice(0, end + 1), 60)}`;
}
