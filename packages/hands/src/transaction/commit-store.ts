import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { GIT, repositoryEnvironment } from '../git/git-environment.ts';
import { HASH } from '../git/references.ts';
import { withBoundedData } from '../process/bounded-memory.ts';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { TreeCursor, visitTree } from '../workspace/tree-cursor.ts';

/** Maximum bytes of all that is brought. */
const MAX_PACK_BYTES = 1024 * 1024 * 1024;
/** Maximum bytes of a list of files: some hundred thousand of them. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
/** Columns of a subject that are shown. */
const MAX_SUBJECT = 120;
/** A record of `git diff-tree --raw`. The path follows. */
const RAW = /^:\d+ \d+ [\da-f]+ (?<object>[\da-f]+) [A-Z]\d*$/u;
/** A record of `git ls-tree` about a file: links, folders and submodules are none. */
const FILE = /^(?<mode>100644|100755) blob (?<object>[\da-f]+)\t/u;
/** Files beside the objects say what is in them. A branch could have some that leave out what its commits need. */
const NO_SHORTCUTS = '[core]\n\tcommitGraph = false\n\tmultiPackIndex = false\n[pack]\n\tuseBitmaps = false\n';

/** What runs git, and until when. */
interface GitRunner {
  readonly processes: Processes;
  readonly signal: AbortSignal;
}

/** A file of a commit. */
export interface CommittedFile {
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

/** Maximum bytes of a commit that is visited. */
const MAX_COMMIT_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
/** What `git cat-file --batch` prints before a commit. */
const COMMIT_HEADER = /^(?<hash>[\da-f]+) commit (?<size>\d{1,7})$/u;
const MAX_HEADER_BYTES = 128;

/** Reads what `git cat-file --batch` prints. */
class CommitReader {
  readonly #hashes: readonly string[];
  readonly #visit: (content: Buffer, index: number) => boolean;
  #rest: Buffer = Buffer.alloc(0);
  #index = 0;

  constructor(hashes: readonly string[], visit: (content: Buffer, index: number) => boolean) {
    this.#hashes = hashes;
    this.#visit = visit;
  }

  get isDone(): boolean {
    return this.#index === this.#hashes.length;
  }

  /** Takes the next part; returns whether all is well so far. */
  take(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const line = bytes.indexOf(NEWLINE, at);
      if (line === -1) break;
      const { hash, size = '' } = COMMIT_HEADER.exec(bytes.toString('latin1', at, Math.min(line, at + MAX_HEADER_BYTES)))?.groups ?? {};
      const end = line + 1 + Number(size);
      if (hash === undefined || hash !== this.#hashes[this.#index] || Number(size) > MAX_COMMIT_BYTES) return false;
      // A line break follows the content.
      if (bytes.length <= end) break;
      const content = bytes.subarray(line + 1, end);
      if (nameOf(content, hash.length) !== hash || !this.#visit(content, this.#index)) return false;
      this.#index += 1;
      at = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return this.#rest.length <= MAX_COMMIT_BYTES + MAX_HEADER_BYTES + 1;
  }
}

/** The name of a commit. A store may have another one under it. */
function nameOf(content: Buffer, length: number): string {
  const sum = createHash(length > SHA1_LENGTH ? 'sha256' : 'sha1');
  return sum.update(`commit ${content.length}\0`).update(content).digest('hex');
}
const SHA1_LENGTH = 40;

/** A repository of Synapse's own that sees the objects of both sides, and has no settings or hooks of either. */
export class CommitStore implements Disposable {
  readonly #parts: GitRunner;
  readonly #folder: string;
  readonly #opened: HandleConfinement;

  /**
   * @param above where its folder is made
   * @param stores the folders of objects; no path has a line break
   */
  constructor(parts: GitRunner, above: string, stores: readonly Buffer[], hashLength: number) {
    this.#parts = parts;
    // Two of one process may read the same branch.
    this.#folder = mkdtempSync(join(above, 'commits-'));
    for (const folder of ['objects/info', 'objects/pack', 'refs']) mkdirSync(join(this.#folder, folder), { recursive: true });
    const isLong = hashLength > SHA1_LENGTH;
    const version = isLong ? '1\n[extensions]\n\tobjectformat = sha256' : '0';
    writeFileSync(join(this.#folder, 'config'), `${NO_SHORTCUTS}[core]\n\trepositoryformatversion = ${version}\n`);
    writeFileSync(join(this.#folder, 'HEAD'), 'ref: refs/heads/none\n');
    writeFileSync(join(this.#folder, 'objects/info/alternates'), Buffer.concat(stores.flatMap((store) => [store, Buffer.from('\n')])));
    this.#opened = new HandleConfinement(this.#folder);
  }

  [Symbol.dispose](): void {
    this.#opened[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true });
  }

  async #run(
    words: readonly string[],
    input: string | Buffer = '',
    onOutput: (chunk: Buffer) => void = () => {},
    signal = this.#parts.signal,
  ): Promise<number | null> {
    using cwd = this.#opened.openDirectory([]);
    const { exitCode } = await this.#parts.processes.run({
      argv: withBoundedData([...GIT, ...words]),
      cwd,
      environment: repositoryEnvironment(this.#folder),
      onOutput: (stream, chunk) => {
        if (stream === 'stdout') onOutput(chunk);
      },
      onInput: (pipe) => void pipe.on('error', () => {}).end(input),
      signal,
    });
    return exitCode;
  }

  /** Whether a commit is in the history of another one. */
  async isAncestor(commit: string, other: string): Promise<boolean> {
    return HASH.test(commit) && (await this.#run(['merge-base', '--is-ancestor', commit, other])) === 0;
  }

  /** Passes on what git prints; returns whether it succeeds. It is ended once it prints more than that. */
  async #take(words: readonly string[], max: number, onOutput: (chunk: Buffer) => void, input?: string): Promise<boolean> {
    const full = new AbortController();
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= max) onOutput(chunk);
      else full.abort();
    };
    try {
      return (await this.#run(words, input, take, AbortSignal.any([this.#parts.signal, full.signal]))) === 0 && size <= max;
    } catch (error) {
      if (!full.signal.aborted) throw error;
      return false;
    }
  }

  /** What git prints; undefined if it fails, or prints more than that. */
  async #output(words: readonly string[], max: number): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    return (await this.#take(words, max, (chunk) => void chunks.push(chunk))) ? Buffer.concat(chunks) : undefined;
  }

  /** The newest commit that is in the history of both; undefined if there is none. */
  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const found = (await this.#output(['merge-base', one, other], MAX_LINE_BYTES))?.toString('latin1').trim();
    return found !== undefined && HASH.test(found) ? found : undefined;
  }

  /** Commits that one side has and the other has not, newest first. */
  async newCommits(tip: string, head: string | undefined, max: number): Promise<Array<{ readonly hash: string; readonly subject: string }>> {
    const range = head === undefined ? [tip] : [tip, `^${head}`];
    const text =
      (await this.#output(['log', `-${max}`, `--format=%H %<(${MAX_SUBJECT},trunc)%s`, ...range, '--'], max * MAX_LINE_BYTES))?.toString() ?? '';
    return text.split('\n').flatMap((line) => {
      const [hash = '', ...words] = line.split(' ');
      return HASH.test(hash) ? [{ hash, subject: words.join(' ').trimEnd() }] : [];
    });
  }

  /**
   * The files that differ between two commits, with their objects in the second one, or zeros where they are deleted. Paths are those in the
   * repository, one character for each byte. Empty if there are too many.
   */
  async changedBetween(one: string, other: string): Promise<ReadonlyMap<string, string>> {
    const output = await this.#output(['diff-tree', '-r', '--raw', '--no-abbrev', '--no-renames', '-z', one, other, '--'], MAX_LIST_BYTES);
    const records = output?.toString('latin1').split('\0') ?? [];
    const changed = new Map<string, string>();
    for (let index = 0; index + 1 < records.length; index += 2) {
      const object = RAW.exec(records[index] ?? '')?.groups?.['object'];
      if (object !== undefined) changed.set(records[index + 1] ?? '', object);
    }
    return changed;
  }

  /** A file as a commit has it, null if there is nothing; undefined if it is no file, is larger than that, or is missing. */
  async fileAt(commit: string, path: string, max: number): Promise<CommittedFile | null | undefined> {
    const name = Buffer.from(path, 'latin1');
    // Arguments are texts.
    if (!isUtf8(name)) return undefined;
    const entry = await this.#output(['ls-tree', '-z', commit, '--', name.toString()], MAX_LINE_BYTES);
    if (entry === undefined) return undefined;
    if (entry.length === 0) return null;
    const { mode, object = '' } = FILE.exec(entry.toString('latin1'))?.groups ?? {};
    const bytes = mode === undefined ? undefined : await this.#output(['cat-file', 'blob', object], max);
    return bytes === undefined ? undefined : { bytes, isExecutable: mode === '100755' };
  }

  /**
   * Visits commits in order; returns false once one is missing, is large, or has another content than its name says, or a visit returns false.
   *
   * @param visit gets the content
   */
  async visitCommits(hashes: readonly string[], visit: (content: Buffer, index: number) => boolean): Promise<boolean> {
    const ended = new AbortController();
    const reader = new CommitReader(hashes, visit);
    try {
      const take = (chunk: Buffer): void => {
        if (!reader.take(chunk)) ended.abort();
      };
      const input = hashes.map((hash) => `${hash}\n`).join('');
      const exitCode = await this.#run(['cat-file', '--batch', '--buffer'], input, take, AbortSignal.any([this.#parts.signal, ended.signal]));
      return exitCode === 0 && reader.isDone;
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      return false;
    }
  }

  /** Packs the commits that one side has and the other has not, with all that they need; undefined if something is missing. */
  async pack(tip: string, head: string | undefined): Promise<string | undefined> {
    const file = join(this.#folder, 'objects/pack/new.pack');
    // What is left of one that failed is overwritten.
    const fd = openSync(file, 'w', 0o600);
    try {
      const wanted = `${tip}\n${head === undefined ? '' : `^${head}\n`}`;
      const words = ['pack-objects', '--revs', '--stdout', '-q'];
      if (!(await this.#take(words, MAX_PACK_BYTES, (chunk) => void writeSync(fd, chunk), wanted))) return undefined;
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

/** Whether a layer has objects in files and folders of its own: links and lists of other stores lead elsewhere. */
export async function hasPlainObjects(own: PinnedDirectory, signal: AbortSignal): Promise<boolean> {
  const stat = lstatSync(own.at('objects'), { throwIfNoEntry: false });
  // It made none.
  if (stat === undefined) return true;
  if (!stat.isDirectory()) return false;
  const folder = String(own.at('objects'));
  using cursor = new TreeCursor(folder, { owned: true });
  let isPlain = lstatSync(join(folder, 'info/alternates'), { throwIfNoEntry: false }) === undefined;
  await visitTree(
    cursor,
    (_, entry) => {
      if (!entry.isFile() && !entry.isDirectory() && !entry.isCharacterDevice()) isPlain = false;
    },
    signal,
  );
  return isPlain;
}
