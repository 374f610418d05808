import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  type BigIntStats,
  type PathLike,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { readSmallFile } from './git-folder.ts';
import { References } from './references.ts';

/** Maximum bytes of an index that is kept: about 5,000 files. With a larger one, git on the layer sees what others stage and commit as staged. */
const MAX_INDEX_BYTES = 512 * 1024;
/** More than a time is rounded by when it is set. */
const ROUNDED = 10_000n;

const GIT = /\bgit\b/u;
/** Commands of git that commit, or change files by what HEAD and the index are, such as in `git add -A && npm test && git commit`. */
const COMMITS = /\b(?:am|checkout|cherry-pick|commit|merge|pull|rebase|reset|restore|revert|stash|switch)\b/u;

/**
 * Whether a command may commit. A program that runs git itself is not known to: HEAD moves for it as that of the workspace does. Two patterns, as
 * one would look through a long text again from each `git` in it.
 */
export const mayCommit = (command: string): boolean => GIT.test(command) && COMMITS.test(command);

const statOf = (path: PathLike): BigIntStats | undefined => lstatSync(path, { throwIfNoEntry: false, bigint: true });

/** A folder of a layer, with the times of the one that it is over. */
interface LayerFolder {
  readonly location: readonly string[];
  readonly times: Pick<BigIntStats, 'atimeNs' | 'mtimeNs'>;
}

/**
 * Writes HEAD, the reference that it names, and the index as they are now into a layer that is mounted over a workspace. If git there saw those of
 * the workspace, HEAD would move with each commit there, and an index that git has written on the layer would not: then its next commit would take
 * back what others committed.
 *
 * @returns the folders of the layer, the innermost first; undefined if there is none: without a repository with a commit in a folder `.git`
 */
export function writeHead(root: string, layer: string): readonly LayerFolder[] | undefined {
  try {
    using workspace = new HandleConfinement(root);
    using repository = workspace.openDirectory(['.git']);
    return writeIn(repository, layer);
  } catch (error) {
    // No repository, or one that this user cannot read.
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    rmSync(layer, { recursive: true, force: true });
    return undefined;
  }
}

function writeIn(repository: PinnedDirectory, layer: string): readonly LayerFolder[] | undefined {
  const names = new References([repository]).chain('HEAD');
  if (names === undefined) return undefined;
  const owner = statSync(repository.self, { bigint: true });
  const folders: LayerFolder[] = [];
  // Whatever the permissions there are, this user can write and remove it.
  const asThere = (path: string, stat: BigIntStats, more: bigint): void => {
    chmodSync(path, Number((stat.mode | more) & 0o777n));
    if (Number(owner.uid) !== process.getuid?.()) lchownSync(path, Number(owner.uid), Number(owner.gid));
  };
  mkdirSync(layer, { mode: 0o700 });
  const addFolder = (path: string): void => {
    const at = join(layer, '.git', path);
    if (existsSync(at)) return;
    if (path !== '.') addFolder(dirname(path));
    mkdirSync(at);
    const stat = statSync(repository.at(path), { throwIfNoEntry: false, bigint: true }) ?? owner;
    asThere(at, stat, 0o700n);
    folders.unshift({ location: ['.git', ...path.split('/').filter((name) => name !== '.')], times: stat });
  };
  const add = (name: string, content: string | Buffer): void => {
    const stat = statOf(repository.at(name));
    addFolder(dirname(name));
    const at = join(layer, '.git', name);
    writeFileSync(at, content);
    asThere(at, stat ?? { ...owner, mode: 0o644n }, 0o600n);
    // Not later than there: git reads again what was written in the moment in which the index was, and what is newer than the index.
    if (stat !== undefined) utimesSync(at, secondsOf(stat.atimeNs), secondsOf(stat.mtimeNs - ROUNDED));
  };
  for (const [name, text] of names) add(name, `${text}\n`);
  // After HEAD. If others commit meanwhile, what they committed counts as staged, and a commit on the layer takes nothing of it back.
  const index = readSmallFile(repository, 'index', MAX_INDEX_BYTES);
  if (index !== undefined) add('index', index);
  for (const { location, times } of folders) utimesSync(join(layer, ...location), secondsOf(times.atimeNs), secondsOf(times.mtimeNs));
  return folders;
}
