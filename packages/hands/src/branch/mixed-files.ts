import {
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import type { Ruling } from './rule-changes.ts';

/** A new file does not get set-id bits from content of others. */
const MODE_BITS = 0o777;

/**
 * Puts files with what both sides changed into an upper layer, for as long as it is applied. The versions of the branch go to a folder,
 * with their paths.
 */
export function putMixed(upperFolder: string, own: string, rulings: ReadonlyMap<PlannedEntry, Ruling>): void {
  using upper = new HandleConfinement(upperFolder);
  let count = 0;
  for (const [{ location }, ruling] of rulings) {
    if (ruling.kind !== 'mixed') continue;
    mkdirSync(own, { recursive: true, mode: 0o700 });
    using parent = upper.openDirectory(location.slice(0, -1));
    const at = parent.at(location.at(-1) ?? '');
    const made = join(own, `${count}.new`);
    const fd = openSync(made, 'wx', 0o600);
    try {
      for (let done = 0; done < ruling.bytes.length;) done += writeSync(fd, ruling.bytes, done);
      fchmodSync(fd, ruling.mode & MODE_BITS);
    } finally {
      closeSync(fd);
    }
    // Before the file is moved: after a kill, it is moved back.
    writeFileSync(join(own, `${count}.path`), JSON.stringify(storePath(location)), { mode: 0o600 });
    renameSync(at, join(own, `${count}.file`));
    renameSync(made, at);
    count += 1;
  }
}

/** Gives a layer the versions of the branch back. Where a mixed file was applied, it is not in the layer any more. */
export function restoreMixed(upperFolder: string, own: string): void {
  if (!existsSync(own)) return;
  using upper = new HandleConfinement(upperFolder);
  for (const name of readdirSync(own)) {
    const file = join(own, name.replace(/\.path$/u, '.file'));
    if (!name.endsWith('.path') || !existsSync(file)) continue;
    const location = loadPath(StoredPath.parse(JSON.parse(readFileSync(join(own, name), 'utf8'))));
    using parent = upper.openDirectory(location.slice(0, -1));
    const at = parent.at(location.at(-1) ?? '');
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined || existsSync(file.replace(/\.file$/u, '.new'))) renameSync(file, at);
  }
  rmSync(own, { recursive: true, force: true });
}
