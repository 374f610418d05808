import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Reads everything below a folder: types, modes, contents and link targets. For tests. */
export function readTree(folder: string, below = ''): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below), { encoding: 'latin1' })) {
    const path = join(below, name);
    // Latin-1 keeps one character per byte: names that are not UTF-8 are opened by their bytes.
    const full = Buffer.from(join(folder, path), 'latin1');
    const stat = lstatSync(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) Object.assign(entries, { [path]: `folder ${mode}` }, readTree(folder, path));
    else if (stat.isSymbolicLink()) entries[path] = `link ${readlinkSync(full)}`;
    else entries[path] = `file ${mode} ${readFileSync(full, 'latin1')}`;
  }
  return entries;
}
