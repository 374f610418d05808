import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import type { ProcessRequest, Processes, ShownRepository } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { folderObjects, type FolderObjects } from './folder-objects.ts';
import { formatConfig, type ConfigEntry } from './git-config.ts';
import { GIT, repositoryEnvironment } from './git-environment.ts';
import { openAnywhere, realPathOf } from './git-folder.ts';
import type { Git } from './git.ts';
import { patternFiles } from './git-mounts.ts';
import type { Repository } from './repository.ts';
import { isFolderOfRepository } from './repository-above.ts';
import { removeLeftovers } from './shadow-git-dir.ts';

/** Maximum size of copied objects in bytes. */
const MAX_PACK_BYTES = 1024 * 1024 * 1024;
/** Maximum number of packs. A copy reuses the packs of the previous one; beyond this, all objects are packed again. */
const MAX_PACKS = 20;
/** Number of copies kept, because running commands still use older ones. */
const KEPT_COPIES = 3;
/** A copy is created for the first command that mentions git, and is then shown to all. */
export const NAMES_GIT = /\bgit\b/u;
/** Entries of the repository's own folder that show that it changed. */
const WATCHED = ['HEAD', 'index', 'logs/HEAD', 'packed-refs', 'FETCH_HEAD', 'refs/heads'];
/** Ignore rules and attributes that are not part of the commits. */
const PATTERNS = ['info/exclude', 'info/attributes'];
const INDEX_FILE = /^(?:index|sharedindex\.[\da-f]+)$/u;

/** Settings of the copy. Paths and changes are relative to the command's folder, and files outside it are not read. */
const SETTINGS: readonly ConfigEntry[] = [
  ['diff.relative', 'true'],
  ['advice.sparseindexexpanded', 'false'],
].map(([key = '', value]) => ({ scope: 'local', key, value }));
/** The copy stores references in its own format. */
const NOT_COPIED = /^extensions\.(?:refstorage|compatobjectformat)$/u;

/**
 * A copy of the repository above a workspace, for commands to read: its commits, and only the files of the workspace. The
 * repository itself is never shown: neither its settings, which may contain passwords, nor its hooks, nor any content from
 * outside the workspace. The copy is read-only.
 */
export class FolderRepository implements Disposable {
  readonly #git: () => Git;
  readonly #processes: Processes;
  readonly #folder: string;
  readonly #copies: string[] = [];
  #stamp = '';
  /** The contents of the newest copy. */
  #known: { readonly folder: string; readonly ids: ReadonlySet<string> } | undefined;
  #shown: ShownRepository | undefined;
  #making: Promise<void> = Promise.resolve();

  /** @param folder the folder for the copies; outside the workspace */
  constructor(git: () => Git, processes: Processes, folder: string) {
    this.#git = git;
    this.#processes = processes;
    this.#folder = folder;
  }

  /** Returns the repository to show to a command; undefined if there is none or it could not be copied. */
  async shown({ argv }: Pick<ProcessRequest, 'argv'>, workspace: Workspace, signal: AbortSignal): Promise<ShownRepository | undefined> {
    if (!argv.some((word) => NAMES_GIT.test(word))) return this.current;
    const making = this.#making.then(() => this.#refresh(workspace, signal));
    this.#making = making.catch(() => {});
    await making;
    return this.current;
  }

  /** The repository that is currently shown. */
  get current(): ShownRepository | undefined {
    return this.#shown !== undefined && existsSync(this.#shown.source) ? this.#shown : undefined;
  }

  [Symbol.dispose](): void {
    for (const copy of this.#copies) rmSync(copy, { recursive: true, force: true });
  }

  async #refresh(workspace: Workspace, signal: AbortSignal): Promise<void> {
    using inner = workspace.openDirectory('.');
    if (!isFolderOfRepository(realPathOf(inner))) {
      this.#shown = undefined;
      return;
    }
    try {
      using repository = await this.#git().open(workspace, signal);
      const { below, top } = repository;
      if (below === undefined) {
        this.#shown = undefined;
        return;
      }
      const stamp = stampOf(repository);
      if (stamp === this.#stamp && this.current !== undefined) return;
      const source = await this.#copy(repository, below, signal);
      this.#shown = { path: join(top, '.git'), source, beside: patternFiles(top, below.split('/')) };
      this.#stamp = stamp;
    } catch (error) {
      signal.throwIfAborted();
      // Without it, git reports that there is no repository, which commands can handle.
      this.#shown = undefined;
      if (!isSynapseError(error) && !(error instanceof RangeError)) throw error;
    }
  }

  async #copy(repository: Repository, below: string, signal: AbortSignal): Promise<string> {
    const objects = await folderObjects(repository, below);
    // Leftovers of processes that were killed.
    if (this.#copies.length === 0) removeLeftovers(this.#folder);
    const copy = mkdtempSync(join(this.#folder, 'repository-'));
    this.#copies.push(copy);
    for (const old of this.#copies.splice(0, this.#copies.length - KEPT_COPIES)) rmSync(old, { recursive: true, force: true });
    writeParts(copy, repository, objects);
    const packs = join(copy, 'objects/pack');
    const [missing, count] = this.#takeOver(objects.ids, packs);
    const file = join(packs, `pack-${count}.pack`);
    if (missing.length > 0) await pack(repository, missing, file);
    const run = async (words: readonly string[], input?: string): Promise<void> => {
      using cwd = openAnywhere(repository.top);
      const { exitCode } = await this.#processes.run({
        argv: [...GIT, ...words],
        cwd,
        environment: repositoryEnvironment(copy),
        onOutput() {},
        ...(input === undefined ? {} : { onInput: (pipe) => void pipe.on('error', () => {}).end(input, 'latin1') }),
        signal,
      });
      if (exitCode !== 0) throw new RangeError('The copy of the repository could not be made.');
    };
    if (missing.length > 0) await run(['index-pack', file]);
    // Otherwise files outside the workspace, which the copy lacks, would appear to be deleted.
    if (objects.beside.length > 0) await run(['update-index', '-z', '--skip-worktree', '--stdin'], `${objects.beside.join('\0')}\0`);
    this.#known = { folder: packs, ids: objects.ids };
    return copy;
  }

  /** Reuses the objects of the previous copy. @returns the missing objects, and the number of files */
  #takeOver(ids: ReadonlySet<string>, to: string): [missing: string[], count: number] {
    const known = this.#known;
    const isUsable = known !== undefined && existsSync(known.folder) && known.ids.size <= ids.size;
    const files = isUsable ? readdirSync(known.folder) : [];
    if (!isUsable || files.length > 2 * MAX_PACKS) return [[...ids], 0];
    const missing = [...ids.difference(known.ids)];
    // Objects that the folder no longer needs must not stay in the copy.
    if (missing.length + known.ids.size !== ids.size) return [[...ids], 0];
    for (const name of files) linkSync(join(known.folder, name), join(to, name));
    return [missing, files.length];
  }
}

function stampOf({ ownFolder }: Repository): string {
  return JSON.stringify(
    WATCHED.map((name) => {
      const stat = lstatSync(ownFolder.at(name), { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
    }),
  );
}

function writeParts(copy: string, repository: Repository, { refs, shallow }: FolderObjects): void {
  for (const folder of ['objects/pack', 'refs', 'info']) mkdirSync(join(copy, folder), { recursive: true });
  const settings = repository.safeSettings.filter(({ key }) => !NOT_COPIED.test(key));
  writeFileSync(join(copy, 'config'), formatConfig([...settings, ...SETTINGS]));
  const lines = refs
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ id, peeled, name }) => `${id} ${name}\n${peeled === '' ? '' : `^${peeled}\n`}`);
  writeFileSync(join(copy, 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`, 'latin1');
  if (shallow.length > 0) writeFileSync(join(copy, 'shallow'), `${shallow.join('\n')}\n`);
  const { ownFolder } = repository;
  for (const name of PATTERNS)
    if (lstatSync(ownFolder.at(name), { throwIfNoEntry: false })?.isFile() === true) copyFileSync(ownFolder.at(name), join(copy, name));
  for (const name of readdirSync(ownFolder.self)) {
    if ((name === 'HEAD' || INDEX_FILE.test(name)) && lstatSync(ownFolder.at(name)).isFile()) copyFileSync(ownFolder.at(name), join(copy, name));
  }
}

/** Writes objects of a repository to one pack file. */
async function pack(repository: Repository, ids: readonly string[], file: string): Promise<void> {
  const fd = openSync(file, 'wx', 0o600);
  try {
    let size = 0;
    const enough = new AbortController();
    await repository.run({
      arguments: ['pack-objects', '--stdout', '-q', '--delta-base-offset', '--window=0'],
      input: [...ids, ''].join('\n'),
      enough: enough.signal,
      onOutput(chunk) {
        size += chunk.length;
        if (size > MAX_PACK_BYTES) enough.abort();
        else writeSync(fd, chunk);
      },
    });
    if (enough.signal.aborted) throw new RangeError('The repository above has too much in it.');
  } finally {
    closeSync(fd);
  }
}
