import { basename } from 'node:path';

const MAX_NAME = 64;
/** What an address can carry without quotes, in any shell. */
const OTHERS = /[^\p{L}\p{N}._-]+/gu;

/**
 * Returns the name under which a device sees a folder: its last part, with a number where another folder has that name.
 *
 * @param taken names of other folders. Two that differ in case only are not both used
 */
export function workspaceName(root: string, taken: Iterable<string> = []): string {
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  const plain =
    basename(root)
      .normalize('NFC')
      .replaceAll(OTHERS, '-')
      .replace(/^\.+/u, '')
      .slice(0, MAX_NAME - 4) || 'workspace';
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? plain : `${plain}-${count}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}
