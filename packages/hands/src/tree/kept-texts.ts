import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nameOf, parentOf } from '../danger/tree-view.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { hasByteEscape } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { FolderTrail, throughFolder, throughHandle } from '../workspace-index/open-folder.ts';

/** Maximum bytes of a text. Larger files are hardly written by hand. */
const MAX_TEXT_BYTES = 512 * 1024;
/** Maximum number of files of a call: of more, such as after an installation, nothing is kept. */
const MAX_FILES = 100;
/** Bytes of all texts, above which the older half is removed. */
const MAX_BYTES = 128 * 1024 * 1024;
/** The start of the hash of each 256th text, after which the size of all is looked at: most processes keep only a few, so none counts them. */
const CHECKED_AT = '00';
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const folderOf = (stateFolder: string, root: string): string => join(stateFolder, 'trees', workspaceId(root), 'texts');

/** Returns a text that a call left, by its SHA-256; undefined if it is not kept. */
export function keptText(stateFolder: string, root: string, sum: string): string | undefined {
  try {
    const bytes = readFileSync(join(folderOf(stateFolder, root), sum));
    return hash('sha256', bytes) === sum ? bytes.toString() : undefined;
  } catch {
    // It is too old, or was too large.
    return undefined;
  }
}

/**
 * Keeps the texts that calls left, because the journal has only what was before: from both follows which lines a call wrote, whatever
 * happens to the file later. Works after the answer of a call.
 */
export class KeptTexts implements Disposable {
  readonly #folder: string;
  readonly #open: () => PinnedDirectory;
  /** Paths, one character per byte (latin1). */
  readonly #waiting = new Set<string>();
  #next: NodeJS.Immediate | undefined;
  #isDue = false;

  constructor(stateFolder: string, confinement: Confinement) {
    this.#folder = folderOf(stateFolder, confinement.root);
    this.#open = () => confinement.openDirectory([]);
  }

  /** Keeps what is in files now. */
  readonly keep = (paths: readonly string[]): void => {
    if (paths.length > MAX_FILES) return;
    for (const path of paths) if (!hasByteEscape(path)) this.#waiting.add(Buffer.from(path).toString('latin1'));
    this.#next ??= setImmediate(() => this.#flush());
  };

  [Symbol.dispose](): void {
    clearImmediate(this.#next);
    this.#flush();
  }

  #flush(): void {
    this.#next = undefined;
    if (this.#waiting.size === 0) return;
    try {
      using root = this.#open();
      if (root.descriptor === undefined) return;
      using trail = new FolderTrail(root.descriptor);
      for (const path of this.#waiting)
        // One that a call made or moved as a whole.
        if (this.#keep(trail, path) === 'folder') for (const file of filesIn(trail, path)) this.#keep(trail, file);
      if (this.#isDue) this.#prune();
    } catch {
      // The state folder is full or closed. Who wrote these lines is then not known later.
    } finally {
      this.#waiting.clear();
    }
  }

  /** Keeps a file. A folder is only named as one. */
  #keep(trail: FolderTrail, path: string): 'folder' | undefined {
    let fd: number;
    try {
      fd = openSync(throughFolder(trail.open(parentOf(path)), nameOf(path)), FLAGS);
    } catch {
      // The call deleted it, or it is a link.
      return undefined;
    }
    try {
      const stat = fstatSync(fd);
      if (stat.isFile() && stat.size <= MAX_TEXT_BYTES) this.#keepText(readFileSync(fd));
      return stat.isDirectory() ? 'folder' : undefined;
    } finally {
      closeSync(fd);
    }
  }

  #keepText(bytes: Buffer): void {
    if (bytes.includes(0)) return;
    const sum = hash('sha256', bytes);
    const place = join(this.#folder, sum);
    if (statSync(place, { throwIfNoEntry: false }) !== undefined) return;
    const fresh = `${place}.${randomBytes(4).toString('hex')}`;
    const write = (): void => writeFileSync(fresh, bytes, { mode: 0o600 });
    try {
      write();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      write();
    }
    renameSync(fresh, place);
    this.#isDue ||= sum.startsWith(CHECKED_AT);
  }

  /** Removes the older half if there is too much. */
  #prune(): void {
    this.#isDue = false;
    const texts = readdirSync(this.#folder).flatMap((name) => {
      const stat = statSync(join(this.#folder, name), { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ name, size: stat.size, time: stat.mtimeMs }];
    });
    let total = texts.reduce((sum, { size }) => sum + size, 0);
    if (total <= MAX_BYTES) return;
    for (const { name, size } of texts.toSorted((one, other) => one.time - other.time)) {
      if (total <= MAX_BYTES / 2) return;
      total -= size;
      rmSync(join(this.#folder, name), { force: true });
    }
  }
}

/** The files in a folder and the folders in it; none if there are too many. No link is followed. */
function filesIn(trail: FolderTrail, path: string): string[] {
  const files: string[] = [];
  const left = [path];
  try {
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (const entry of readdirSync(throughHandle(trail.open(at)), { withFileTypes: true, encoding: 'latin1' })) {
        if (entry.isDirectory()) left.push(`${at}/${entry.name}`);
        else if (entry.isFile()) files.push(`${at}/${entry.name}`);
        if (files.length + left.length > MAX_FILES) return [];
      }
    }
    return files;
  } catch {
    // One of them is closed, or gone.
    return [];
  }
}
