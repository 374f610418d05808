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
import * as z from 'zod';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { kernelTime } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { Bases } from './base-log.ts';
import type { BranchFolder } from './branch-folder.ts';
import type { Ruling } from './rule-changes.ts';
import { putInClone } from './settle-clone.ts';

/** A new file does not get set-id bits from content of others. */
const MODE_BITS = 0o777;

/** A file of which the workspace gets a part: what it gets, the content that it had, unless an older version wrote this, and a time from before. */
const Part = z.object({ at: z.string(), mode: z.int(), content: z.string(), over: z.string().default('') });

function writeFile(path: string, bytes: Buffer, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fchmodSync(fd, mode & MODE_BITS);
  } finally {
    closeSync(fd);
  }
}

/**
 * Puts files with what both sides changed, or with a part of what the branch changed, into an upper layer, for as long as it is applied. The
 * versions of the branch go to a folder, with their paths.
 */
export function putMixed(upperFolder: string, { own, state }: BranchFolder, rulings: ReadonlyMap<PlannedEntry, Ruling>): void {
  using upper = new HandleConfinement(upperFolder);
  let count = 0;
  for (const [{ location }, ruling] of rulings) {
    if (ruling.kind !== 'mixed') continue;
    mkdirSync(own, { recursive: true, mode: 0o700 });
    using parent = upper.openDirectory(location.slice(0, -1));
    const at = parent.at(location.at(-1) ?? '');
    const { bytes, mode, rest } = ruling;
    const made = join(own, `${count}.new`);
    writeFile(made, bytes, mode);
    if (rest !== undefined) {
      if (rest.now !== 'own') writeFile(join(own, `${count}.rest`), rest.now.bytes, rest.now.mode);
      const part: z.infer<typeof Part> = { at: String(kernelTime(own)), mode: mode & MODE_BITS, content: Bases.keep(state, bytes), over: rest.over };
      writeFileSync(join(own, `${count}.part`), JSON.stringify(part), { mode: 0o600 });
    }
    // Before the file is moved: after a kill, it is moved back.
    writeFileSync(join(own, `${count}.path`), JSON.stringify(storePath(location)), { mode: 0o600 });
    renameSync(at, join(own, `${count}.file`));
    renameSync(made, at);
    count += 1;
  }
}

/** The files that are kept of a mixed one, by the name of that with its place. */
function partsOf(own: string, name: string): { file: string; made: string; rest: string; part: string } {
  const at = (end: string): string => join(own, name.replace(/\.path$/u, end));
  return { file: at('.file'), made: at('.new'), rest: at('.rest'), part: at('.part') };
}

/**
 * Gives a layer the versions of the branch back. Where a mixed file was applied, it is not in the layer any more: then the layer gets the rest
 * of a file of which the workspace has a part.
 *
 * @returns the files that the branch has a rest of
 */
export function restoreMixed(upperFolder: string, folder: BranchFolder): WorkspacePath[] {
  const { own, state, clone } = folder;
  if (!existsSync(own)) return [];
  using upper = new HandleConfinement(upperFolder);
  const rests: WorkspacePath[] = [];
  for (const name of readdirSync(own)) {
    const { file, made, rest, part } = partsOf(own, name);
    if (!name.endsWith('.path') || !existsSync(file)) continue;
    const location = loadPath(StoredPath.parse(JSON.parse(readFileSync(join(own, name), 'utf8'))));
    using parent = upper.openDirectory(location.slice(0, -1));
    const at = parent.at(location.at(-1) ?? '');
    const isApplied = lstatSync(at, { throwIfNoEntry: false }) === undefined && !existsSync(made);
    if (isApplied && !existsSync(part)) continue;
    if (isApplied) {
      // After a kill, this is done again: until the last step, the file is not in the layer.
      if (existsSync(rest)) renameSync(rest, file);
      if (existsSync(clone)) putInClone(folder, location, file);
      Bases.partly(state, location, Part.parse(JSON.parse(readFileSync(part, 'utf8'))));
      rests.push(location);
    }
    renameSync(file, at);
  }
  rmSync(own, { recursive: true, force: true });
  return rests;
}
