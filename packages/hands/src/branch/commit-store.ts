import {
  closeSync,
  constants,
  existsSync,
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
import { withBoundedData } from '../process/bounded-memory.ts';
import type { AreaParts } from '../transaction/read-area.ts';
import type { TransactionArea } from '../transaction/transaction-area.ts';
import { joinNames } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** Maximum bytes of all that is brought. */
const MAX_PACK_BYTES = 1024 * 1024 * 1024;
/** Maximum number of commits of a branch whose versions are read. */
const MAX_COMMITS = 1_000;
/** Maximum bytes of a list of versions: some hundred thousand of them. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const MAX_LINE_BYTES = 8 * 1024;
export const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
/** A record of `git log --raw`. The path follows. */
const RAW = /^\n?:\d+ \d+ [\da-f]+ (?<object>[\da-f]+) [A-Z]\d*$/u;
/** Files beside the objects say what is in them. A branch could have some that leave out what its commits need. */
const NO_SHORTCUTS = '[core]\n\tcommitGraph = false\n\tmultiPackIndex = false\n[pack]\n\tuseBitmaps = false\n';

/** A repository of Synapse's own that sees the objects of both sides, and has no settings or hooks of either. */
export class CommitStore implements Disposable {
  readonly #parts: Pick<AreaParts, 'processes' | 'signal'>;
  readonly #folder: string;
  readonly #opened: HandleConfinement;

  constructor(
    parts: Pick<AreaParts, 'processes' | 'signal'>,
    area: TransactionArea,
    sides: readonly Confinement[],
    repository: WorkspacePath,
    hashLength: number,
  ) {
    this.#parts = parts;
    // Two of one process may read the same branch.
    this.#folder = mkdtempSync(join(area.path, 'commits-'));
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
    rmSync(this.#folder, { recursive: true });
  }

  async #run(words: readonly string[], input: string | Buffer = '', onOutput: (chunk: Buffer) => void = () => {}): Promise<number | null> {
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

  /** What git prints; undefined if it fails, or prints more than that. */
  async #output(words: readonly string[], max: number, input?: string | Buffer): Promise<Buffer | undefined> {
    const chunks: Buffer[] = [];
    let size = 0;
    const code = await this.#run(words, input, (chunk) => {
      size += chunk.length;
      if (size <= max) chunks.push(chunk);
    });
    return code === 0 && size <= max ? Buffer.concat(chunks) : undefined;
  }

  /** The newest commit that is in the history of both; undefined if there is none. */
  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const found = (await this.#output(['merge-base', one, other], MAX_LINE_BYTES))?.toString('latin1').trim();
    return found !== undefined && HASH.test(found) ? found : undefined;
  }

  /** Commits that one side has and the other has not, newest first. */
  async newCommits(tip: string, head: string | undefined, max: number): Promise<Array<{ readonly hash: string; readonly subject: string }>> {
    const range = head === undefined ? [tip] : [tip, `^${head}`];
    const text = (await this.#output(['log', `-${max}`, '--format=%H %s', ...range, '--'], max * MAX_LINE_BYTES))?.toString() ?? '';
    return text.split('\n').flatMap((line) => {
      const [hash = '', ...words] = line.split(' ');
      return HASH.test(hash) ? [{ hash, subject: words.join(' ') }] : [];
    });
  }

  /**
   * The versions that files got in some commits, by the path in the repository, one character for each byte: the object, or zeros where the file was
   * deleted. Of the newest commits only; empty if these have too many files.
   *
   * @param ranges commits with their history, each without the history of another one
   */
  async versionsIn(ranges: ReadonlyArray<readonly [tip: string, without: string | null]>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const versions = new Map<string, Set<string>>();
    for (const [tip, without] of ranges) {
      const range = without === null ? [tip] : [tip, `^${without}`];
      const output = await this.#output(
        ['log', `-${MAX_COMMITS}`, '--format=', '-m', '--raw', '--no-abbrev', '--no-renames', '-z', ...range, '--'],
        MAX_LOG_BYTES,
      );
      if (output === undefined) return new Map();
      const records = output.toString('latin1').split('\0');
      for (let index = 0; index + 1 < records.length; index += 2) {
        const object = RAW.exec(records[index] ?? '')?.groups?.['object'];
        const path = records[index + 1] ?? '';
        if (object !== undefined) versions.set(path, (versions.get(path) ?? new Set()).add(object));
      }
    }
    return versions;
  }

  /** The files that differ between two commits, as in {@link versionsIn}. Empty if there are too many. */
  async changedBetween(one: string, other: string): Promise<ReadonlySet<string>> {
    const output = await this.#output(['diff-tree', '-r', '--name-only', '--no-renames', '-z', one, other, '--'], MAX_LOG_BYTES);
    return new Set(output?.toString('latin1').split('\0').slice(0, -1));
  }

  /** The content of a file in a commit, null if there is none; undefined if it is larger than that. */
  async contentAt(commit: string, path: string, max: number): Promise<Buffer | null | undefined> {
    if (path.includes('\n')) return undefined;
    const output = await this.#output(['cat-file', '--batch'], max + MAX_LINE_BYTES, Buffer.from(`${commit}:${path}\n`, 'latin1'));
    const end = output?.indexOf('\n') ?? -1;
    if (output === undefined || end === -1) return undefined;
    const line = output.toString('latin1', 0, end);
    if (line.endsWith(' missing')) return null;
    const size = /^[\da-f]+ blob (?<size>\d+)$/u.exec(line)?.groups?.['size'];
    return size === undefined ? undefined : output.subarray(end + 1, end + 1 + Number(size));
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
