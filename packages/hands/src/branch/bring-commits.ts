import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { GIT, repositoryEnvironment } from '../git/git-environment.ts';
import { readSmallFile } from '../git/git-folder.ts';
import { withBoundedData } from '../process/bounded-memory.ts';
import type { AreaParts } from '../transaction/read-area.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import { joinNames } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** Maximum bytes of a file with references: about a hundred thousand of them. */
const MAX_REFS_BYTES = 16 * 1024 * 1024;
/** Maximum bytes of all that is brought. */
const MAX_PACK_BYTES = 1024 * 1024 * 1024;
/** Other names that are tried if a reference is in use. */
const MAX_NAMES = 20;
const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
const BRANCHES = ['refs', 'heads'] as const;
const OWN = 'synapse';
/** Files beside the objects say what is in them. A branch could have some that leave out what its commits need. */
const NO_SHORTCUTS = '[core]\n\tcommitGraph = false\n\tmultiPackIndex = false\n[pack]\n\tuseBitmaps = false\n';

/** Commits of a branch that go to a workspace whose HEAD moved meanwhile. */
export interface BroughtCommits {
  /** The repository, as a path of the workspace. */
  readonly repository: WorkspacePath;
  /** The reference, such as `refs/heads/synapse/fix`. */
  readonly ref: string;
  /** The newest commit. */
  readonly commit: string;
  /** The ctime of the file that the reference has now, in nanoseconds; undefined if it has none. */
  readonly changed: bigint | undefined;
}

/** A repository as one or more layers show it, the topmost first. */
class References {
  readonly #layers: readonly PinnedDirectory[];

  constructor(layers: readonly PinnedDirectory[]) {
    this.#layers = layers;
  }

  /** The commit of a reference or a head; undefined if there is none. */
  get(name: string, depth = 0): string | undefined {
    const text = this.#text(name)?.trim();
    if (text !== undefined && HASH.test(text)) return text;
    const target = /^ref: (?<name>refs\/[^\s]+)$/u.exec(text ?? '')?.groups?.['name'];
    if (target !== undefined) return depth > 4 || target.includes('..') ? undefined : this.get(target, depth + 1);
    const packed = this.#text('packed-refs', MAX_REFS_BYTES)?.split('\n') ?? [];
    return packed.find((line) => line.endsWith(` ${name}`))?.split(' ', 1)[0];
  }

  #text(name: string, max = 4096): string | undefined {
    for (const layer of this.#layers) {
      const found = lstatSync(layer.at(name), { throwIfNoEntry: false });
      // A whiteout of the overlay: the branch deleted it.
      if (found?.isCharacterDevice() === true) return undefined;
      if (found?.isFile() === true) return readSmallFile(layer, name, max)?.toString('latin1');
    }
    return undefined;
  }
}

/** What bringing commits requires. */
type Parts = Pick<AreaParts, 'confinement' | 'processes' | 'signal'>;

/**
 * Brings the commits of a branch to a repository of the workspace that something else changed meanwhile: first their objects, which are only
 * added, then a reference of its own, which is put into the layer to be applied. Nothing of the rest of the repository changes.
 *
 * @returns undefined if there are none, or if they cannot be brought: then the repository waits as a whole
 */
export async function bringCommits(
  parts: Parts,
  area: TransactionArea,
  repository: WorkspacePath,
  branch: string,
): Promise<BroughtCommits | undefined> {
  try {
    using upper = new HandleConfinement(area.upper);
    using stack = new DisposableStack();
    const own = stack.use(upper.openDirectory(repository));
    const there = stack.use(parts.confinement.openDirectory(repository));
    // Each line of a list of stores is a path.
    if (`${upper.root}${parts.confinement.root}`.includes('\n')) return undefined;
    const [mine, theirs] = [new References([own, there]), new References([there])];
    const [tip, head] = [mine.get('HEAD'), theirs.get('HEAD')];
    if (tip === undefined || tip === head || !(await hasPlainObjects(own, parts.signal)) || existsSync(there.at('reftable'))) return undefined;
    using store = new CommitStore(parts, area, [upper, parts.confinement], repository, tip.length);
    if (head !== undefined && (await store.isAncestor(tip, head))) return undefined;
    const name = await freeName(theirs, branch, tip, store);
    if (name === undefined) return undefined;
    const ref = [...BRANCHES, OWN, name];
    // Before the value is read again: what moves the reference from here on is found when it is replaced.
    const changed = lstatSync(there.at(ref.join('/')), { bigint: true, throwIfNoEntry: false })?.ctimeNs;
    const brought = { repository, ref: ref.join('/'), commit: tip, changed };
    const value = theirs.get(brought.ref);
    if (value === tip) return brought;
    if (value !== undefined && !(await store.isAncestor(value, tip))) return undefined;
    const pack = await store.pack(tip, head);
    if (pack === undefined) return undefined;
    addPack(there, pack);
    makeOwnFolder(there);
    putReference(upper, parts.confinement, [...repository, ...ref], tip);
    return brought;
  } catch (error) {
    parts.signal.throwIfAborted();
    // Something is not as a repository has it. What the branch has of it stays in the branch.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/** A name below {@link OWN} that is free, or has an older commit of the same branch. */
async function freeName(refs: References, branch: string, tip: string, store: CommitStore): Promise<string | undefined> {
  if (refs.get([...BRANCHES, OWN].join('/')) !== undefined) return undefined;
  for (let count = 1; count < MAX_NAMES; count += 1) {
    const name = count === 1 ? branch : `${branch}-${count}`;
    const there = refs.get([...BRANCHES, OWN, name].join('/'));
    if (there === undefined || there === tip || (await store.isAncestor(there, tip))) return name;
  }
  return undefined;
}

/** Whether a branch has objects in files and folders of its own: links and lists of other stores lead elsewhere. */
async function hasPlainObjects(own: PinnedDirectory, signal: AbortSignal): Promise<boolean> {
  if (lstatSync(own.at('objects'), { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const folder = String(own.at('objects'));
  using cursor = new TreeCursor(folder, { owned: true });
  let isPlain = lstatSync(join(folder, 'info/alternates'), { throwIfNoEntry: false }) === undefined;
  await visitTree(
    cursor,
    (_, stat) => {
      if (!stat.isFile() && !stat.isDirectory() && !stat.isCharacterDevice()) isPlain = false;
    },
    signal,
  );
  return isPlain;
}

/** A repository of Synapse's own that sees the objects of both sides, and has no settings or hooks of either. */
class CommitStore implements Disposable {
  readonly #parts: Parts;
  readonly #folder: string;
  readonly #opened: HandleConfinement;

  constructor(parts: Parts, area: TransactionArea, sides: readonly Confinement[], repository: WorkspacePath, hashLength: number) {
    this.#parts = parts;
    this.#folder = join(area.path, 'work', `commits-${processIdentity().replace(' ', '-')}`);
    for (const folder of ['objects/info', 'objects/pack', 'refs']) mkdirSync(join(this.#folder, folder), { recursive: true });
    const isLong = hashLength > 40;
    const version = isLong ? '1\n[extensions]\n\tobjectformat = sha256' : '0';
    writeFileSync(join(this.#folder, 'config'), `${NO_SHORTCUTS}[core]\n\trepositoryformatversion = ${version}\n`);
    writeFileSync(join(this.#folder, 'HEAD'), 'ref: refs/heads/none\n');
    const stores = sides.map(({ root }) => Buffer.from(joinNames(root, [...repository, 'objects'])));
    writeFileSync(join(this.#folder, 'objects/info/alternates'), Buffer.concat(stores.flatMap((store) => [store, Buffer.from('\n')])));
    this.#opened = new HandleConfinement(this.#folder);
  }

  [Symbol.dispose](): void {
    this.#opened[Symbol.dispose]();
  }

  async #run(words: readonly string[], input = '', onOutput: (chunk: Buffer) => void = () => {}): Promise<number | null> {
    using cwd = this.#opened.openDirectory([]);
    const { exitCode } = await this.#parts.processes.run({
      argv: withBoundedData([...GIT, ...words]),
      cwd,
      environment: repositoryEnvironment(this.#folder),
      onOutput: (stream, chunk) => {
        if (stream === 'stdout') onOutput(chunk);
      },
      onInput: (pipe) => void pipe.on('error', () => {}).end(input),
      signal: this.#parts.signal,
    });
    return exitCode;
  }

  /** Whether a commit is in the history of another one. */
  async isAncestor(commit: string, other: string): Promise<boolean> {
    return HASH.test(commit) && (await this.#run(['merge-base', '--is-ancestor', commit, other])) === 0;
  }

  /** Packs the commits that one side has and the other has not, with all that they need; undefined if something is missing. */
  async pack(tip: string, head: string | undefined): Promise<string | undefined> {
    const file = join(this.#folder, 'objects/pack/new.pack');
    const fd = openSync(file, 'wx', 0o600);
    let size = 0;
    try {
      const wanted = `${tip}\n${head === undefined ? '' : `^${head}\n`}`;
      const code = await this.#run(['pack-objects', '--revs', '--stdout', '-q'], wanted, (chunk) => {
        size += chunk.length;
        if (size <= MAX_PACK_BYTES) writeSync(fd, chunk);
      });
      if (code !== 0 || size > MAX_PACK_BYTES) return undefined;
    } finally {
      closeSync(fd);
    }
    // Computes the name of each object anew: no object gets the name of another.
    if ((await this.#run(['index-pack', '--strict', file])) !== 0) return undefined;
    const named = join(this.#folder, 'objects/pack', `pack-${trailer(file, tip.length / 2)}`);
    for (const end of ['.rev', '.pack', '.idx'])
      if (existsSync(file.replace(/\.pack$/u, end))) renameSync(file.replace(/\.pack$/u, end), `${named}${end}`);
    return named;
  }
}

/** The checksum at the end of a pack. */
function trailer(file: string, length: number): string {
  const fd = openSync(file, constants.O_RDONLY);
  try {
    const sum = Buffer.alloc(length);
    readSync(fd, sum, 0, length, statSync(file).size - length);
    return sum.toString('hex');
  } finally {
    closeSync(fd);
  }
}

/** Adds a pack to a repository, its index last: git takes a pack for complete once it has one. */
function addPack(there: PinnedDirectory, pack: string): void {
  using objects = there.child('objects');
  if (!existsSync(objects.at('pack'))) mkdirSync(objects.at('pack'));
  using folder = objects.child('pack');
  const temporary = folder.at(`tmp_synapse_${processIdentity().replace(' ', '-')}`);
  for (const end of ['.pack', '.rev', '.idx']) {
    if (!existsSync(`${pack}${end}`)) continue;
    copyFileSync(`${pack}${end}`, temporary, constants.COPYFILE_EXCL);
    try {
      chmodSync(temporary, 0o444);
      linkSync(temporary, folder.at(pack.slice(pack.lastIndexOf('/') + 1) + end));
    } catch (error) {
      // The same commits were brought before.
      if (errnoOf(error) !== 'EEXIST') throw error;
    } finally {
      unlinkSync(temporary);
    }
  }
}

/** Without the folder, all references that the branch has in it would be one change. */
function makeOwnFolder(there: PinnedDirectory): void {
  using refs = there.child(BRANCHES[0]);
  using heads = refs.child(BRANCHES[1]);
  if (lstatSync(heads.at(OWN), { throwIfNoEntry: false }) === undefined) mkdirSync(heads.at(OWN));
}

/** Writes a reference into a layer, in folders with the permissions that the workspace gives to them. */
function putReference(upper: Confinement, workspace: Confinement, location: WorkspacePath, commit: string): void {
  for (let depth = 1; depth < location.length; depth += 1) {
    using parent = upper.openDirectory(location.slice(0, depth - 1));
    const at = parent.at(location[depth - 1] ?? '');
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) continue;
    if (stat !== undefined) unlinkSync(at);
    mkdirSync(at);
    using beside = openIfThere(workspace, location.slice(0, depth));
    if (beside !== undefined) chmodSync(at, statSync(beside.self).mode & 0o7777);
  }
  using folder = upper.openDirectory(location.slice(0, -1));
  const at = folder.at(location.at(-1) ?? '');
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) unlinkSync(at);
  writeFileSync(at, `${commit}\n`, { flag: 'wx', mode: 0o644 });
}

function openIfThere(workspace: Confinement, location: WorkspacePath): PinnedDirectory | undefined {
  try {
    return workspace.openDirectory(location);
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}
