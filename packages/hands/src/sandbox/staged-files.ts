import { existsSync, lstatSync, realpathSync, type BigIntStats } from 'node:fs';
import { join, nameOf, parentOf } from '../danger/tree-view.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { PlaceFinding } from './finding.ts';
import { objectFile } from './object-file.ts';
import { blobOf } from '../git-format/blob-name.ts';
import { MAX_INDEX_BYTES } from '../git-format/visit-index.ts';
import { stagedObjects } from './staged-objects.ts';
import { outsideRepository } from './view/outside-repository.ts';

/** Settings and keys are much smaller. */
const MAX_FILE_BYTES = 256 * 1024;
const MAX_POINTER_BYTES = 4096;
/** Nanoseconds after which a second change of a file has another time. */
const SETTLED = 2_000_000_000n;

/** Why paths are hidden, relative to the workspace, with `/`. */
export interface HidingReasons {
  /** Whether it is only because files of this name usually hold secrets. */
  readonly isByName: (path: string) => boolean;
  /** Whether a rule of a person says so. The path may also be absolute. */
  readonly isByRule: (path: string) => boolean;
}

interface Cached<T> {
  readonly stamp: string;
  readonly value: T;
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [dev, ino, size, mtimeNs, ctimeNs].join(':');
const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/**
 * Finds files that are hidden from commands for their names, such as `.npmrc` or a test's `key.pem`, although they are as git's index has
 * them. A command can read what they say in the objects of the repository, and without them git calls them changed and cannot add
 * anything. The index alone proves nothing, because commands write it: the content of the file is compared.
 */
export class StagedFiles {
  readonly #reasons: HidingReasons;
  /** The objects of each index, by the path of its repository. */
  readonly #indexes = new Map<string, Cached<{ readonly wanted: ReadonlySet<string>; readonly objects: ReadonlyMap<string, string> }>>();
  /** Rules that hide files do not change while hands are open. */
  readonly #byName = new Map<string, boolean>();
  /** The file that held each object, in a pack or alone. */
  readonly #files = new Map<string, string>();
  readonly #hashes = new Map<string, Cached<string>>();

  constructor(reasons: HidingReasons) {
    this.#reasons = reasons;
  }

  /**
   * Returns the findings without these files.
   *
   * @param self the workspace, by handle
   */
  without(self: string, findings: readonly PlaceFinding[]): readonly PlaceFinding[] {
    try {
      return this.#without(self, findings);
    } catch (error) {
      // A folder on the way is gone or closed: all stay hidden.
      if (errnoOf(error) === undefined) throw error;
      return findings;
    }
  }

  #without(self: string, findings: readonly PlaceFinding[]): readonly PlaceFinding[] {
    const hidden = findings.filter(
      ({ kind, isFolder, behindLink, path }) => kind === 'denied' && !isFolder && behindLink === undefined && this.#isByName(path),
    );
    if (hidden.length === 0) return findings;
    const repositories = new Map(
      findings.flatMap(({ kind, path }) => (kind.startsWith('git-') && nameOf(path) === '.git' ? [[parentOf(path), path] as const] : [])),
    );
    const byRepository = Map.groupBy(hidden, ({ path }) => nearest(repositories, path));
    const shown = new Set<PlaceFinding>();
    for (const [root, files] of byRepository) {
      const git = root === undefined ? undefined : repositories.get(root);
      if (root === undefined || git === undefined) continue;
      const inRepository = (path: string): string => (root === '' ? path : path.slice(root.length + 1));
      const readable = readableObjects(self, git);
      if (readable === undefined) continue;
      const objects = this.#staged(self, git, new Set(files.map(({ path }) => inRepository(path))));
      for (const file of files) {
        const object = objects.get(inRepository(file.path));
        if (object !== undefined && object === this.#hash(self, file.path) && this.#isReadable(readable, object)) shown.add(file);
      }
    }
    return shown.size === 0 ? findings : findings.filter((finding) => !shown.has(finding));
  }

  #isByName(path: string): boolean {
    const known = this.#byName.get(path) ?? this.#reasons.isByName(utf8(path));
    this.#byName.set(path, known);
    return known;
  }

  /** The objects in the index of a repository; none if commands cannot read objects there. */
  #staged(self: string, git: string, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
    const folder = gitFolder(self, git);
    if (folder === undefined || ['objects', 'objects/pack'].some((name) => this.#reasons.isByRule(utf8(join(folder, name))))) return new Map();
    const path = at(self, join(folder, 'index'));
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    const known = this.#indexes.get(git);
    if (stat !== undefined && known?.stamp === stampOf(stat) && wanted.isSubsetOf(known.value.wanted)) return known.value.objects;
    const index = readRegular(path, MAX_INDEX_BYTES);
    if (index === undefined) return new Map();
    const objects = stagedObjects(index.bytes, wanted);
    keep(this.#indexes, git, index.stat, { wanted, objects });
    return objects;
  }

  /** Whether commands can read an object: it is in a file of these objects, which no rule hides. */
  #isReadable({ root, objects }: ReadableObjects, object: string): boolean {
    const key = `${objects}/${object}`;
    const known = this.#files.get(key);
    const file = known !== undefined && existsSync(Buffer.from(known, 'latin1')) ? known : objectFile(objects, object);
    if (file === undefined) return false;
    this.#files.set(key, file);
    const inside = isBelow(file, root) ? file.slice(root.length + 1) : file;
    return isBelow(realPath(Buffer.from(file, 'latin1')), objects) && !this.#reasons.isByRule(utf8(inside));
  }

  /** The object that git would make of a file. */
  #hash(self: string, path: string): string | undefined {
    const place = at(self, path);
    const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    const known = this.#hashes.get(path);
    if (stat === undefined || known?.stamp === stampOf(stat)) return stat === undefined ? undefined : known?.value;
    const file = readRegular(place, MAX_FILE_BYTES);
    if (file === undefined) return undefined;
    const hash = blobOf(file.bytes);
    keep(this.#hashes, path, file.stat, hash);
    return hash;
  }
}

const at = (self: string, path: string): Buffer => Buffer.from(path.startsWith('/') ? path : `${self}/${path}`, 'latin1');

const realPath = (path: Buffer): string => realpathSync(path, 'latin1');
const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** The folder of a repository, to which a file with its name leads in a worktree or a submodule. */
function gitFolder(self: string, git: string): string | undefined {
  const path = at(self, git);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return git;
  const target = /^gitdir: ([^\n\0]+)\n?$/u.exec(readRegular(path, MAX_POINTER_BYTES)?.bytes.toString('latin1') ?? '')?.[1];
  return target === undefined || target.startsWith('/') ? target : join(parentOf(git), target);
}

/** Objects of a repository in a place that commands see. Each character stands for one byte (latin1). */
interface ReadableObjects {
  /** The workspace. */
  readonly root: string;
  readonly objects: string;
}

/**
 * Finds the objects of a repository; undefined if commands do not see them. A repository may borrow objects from another one, and the file
 * that leads to a repository may lead to any other.
 */
function readableObjects(self: string, git: string): ReadableObjects | undefined {
  const folder = gitFolder(self, git);
  if (folder === undefined) return undefined;
  const pointer =
    readRegular(at(self, join(folder, 'commondir')), MAX_POINTER_BYTES)
      ?.bytes.toString('latin1')
      .trim() ?? '.';
  const root = realPath(Buffer.from(self));
  const objects = realPath(at(self, join(pointer.startsWith('/') ? pointer : join(folder, pointer), 'objects')));
  const outside = outsideRepository(utf8(root));
  const isOutside = outside !== undefined && isBelow(objects, Buffer.from(outside).toString('latin1'));
  return isBelow(objects, root) || isOutside ? { root, objects } : undefined;
}

/** Keeps what was read, unless the file may change once more without another time. */
function keep<T>(cache: Map<string, Cached<T>>, key: string, stat: BigIntStats, value: T): void {
  if (BigInt(Date.now()) * 1_000_000n - stat.ctimeNs > SETTLED) cache.set(key, { stamp: stampOf(stat), value });
  else cache.delete(key);
}

/** The innermost repository that contains a path. */
function nearest(repositories: ReadonlyMap<string, string>, path: string): string | undefined {
  for (let folder = parentOf(path); ; folder = parentOf(folder)) {
    if (repositories.has(folder)) return folder;
    if (folder === '') return undefined;
  }
}
