import type { Repository } from './repository.ts';

/** Maximum number of commits that commands see of a repository above. Each one takes time when the copy is made. */
const MAX_COMMITS = 1_000;
/** Maximum output of git that is read into memory, in bytes: some million names. */
const MAX_LIST_BYTES = 256 * 1024 * 1024;
/** Starting points of histories. The first keeps an old HEAD from being displaced by newer commits of other branches. */
const STARTS = [['HEAD'], ['HEAD', '--branches', '--remotes']] as const;
const LIMIT = `--max-count=${MAX_COMMITS}`;
const LINE = '\n';
const NUL = '\0';
const BLOB = /^1[02]0\d{3} /u;

/** The objects of a repository that a folder needs. */
export interface FolderObjects {
  /** Commits, all folders of the repository, and contents only of files in the folder. */
  readonly ids: ReadonlySet<string>;
  /** Commits with a parent that is not included. */
  readonly shallow: readonly string[];
  /** Branches and tags of included commits: ID, commit of a tag, name. */
  readonly refs: ReadonlyArray<{ readonly id: string; readonly peeled: string; readonly name: string }>;
  /** Files of the index outside the folder. */
  readonly beside: readonly string[];
}

/** Reads a list that git prints. */
async function list(repository: Repository, separator: string, ...words: readonly string[]): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  const enough = new AbortController();
  await repository.run({
    arguments: words,
    enough: enough.signal,
    onOutput(chunk) {
      size += chunk.length;
      if (size > MAX_LIST_BYTES) enough.abort();
      else chunks.push(chunk);
    },
  });
  if (enough.signal.aborted) throw new RangeError('The repository above has too much in it.');
  // One character is one byte: names need not be UTF-8.
  return Buffer.concat(chunks)
    .toString('latin1')
    .split(separator)
    .filter((line) => line !== '');
}

/**
 * Collects what commands may see of a repository above their workspace.
 *
 * @param below the workspace, as a folder of the repository
 */
export async function folderObjects(repository: Repository, below: string): Promise<FolderObjects> {
  const ids = new Set<string>();
  const commits = new Map<string, readonly string[]>();
  for (const start of STARTS) {
    for (const line of await list(repository, LINE, 'rev-list', '--parents', LIMIT, ...start)) {
      const [commit = '', ...parents] = line.split(' ');
      commits.set(commit, parents);
    }
    // All folders, because git needs them even to compare two commits, but contents only of these files.
    for (const id of await list(repository, LINE, 'rev-list', '--objects', '--no-object-names', '--filter=blob:none', LIMIT, ...start)) ids.add(id);
    for (const id of await list(repository, LINE, 'rev-list', '--objects', '--no-object-names', '--full-history', LIMIT, ...start, '--', below))
      ids.add(id);
  }
  for (const line of await list(repository, NUL, 'ls-tree', '-r', '-z', '--full-tree', 'HEAD', '--', below)) {
    if (BLOB.test(line)) ids.add(line.split(/[ \t]/u, 3)[2] ?? '');
  }
  for (const line of await list(repository, NUL, 'ls-files', '-s', '-z', '--', below)) if (BLOB.test(line)) ids.add(line.split(' ', 2)[1] ?? '');
  ids.delete('');
  const prefix = `${Buffer.from(below).toString('latin1')}/`;
  const beside = (await list(repository, NUL, 'ls-files', '-z')).filter((name) => !name.startsWith(prefix));
  const all = await list(
    repository,
    LINE,
    'for-each-ref',
    '--format=%(objectname) %(*objectname) %(refname)',
    'refs/heads',
    'refs/remotes',
    'refs/tags',
  );
  const refs = all.flatMap((line) => {
    const [id = '', peeled = '', name = ''] = line.split(' ');
    if (!commits.has(peeled === '' ? id : peeled)) return [];
    ids.add(id);
    return [{ id, peeled, name }];
  });
  // In a clone without the whole history, git tells no parents of its first commits.
  const [isShallow] = await list(repository, LINE, 'rev-parse', '--is-shallow-repository');
  const isCut = (parents: readonly string[]): boolean =>
    (isShallow === 'true' && parents.length === 0) || parents.some((parent) => !commits.has(parent));
  const shallow = [...commits].filter(([, parents]) => isCut(parents)).map(([commit]) => commit);
  return { ids, shallow, refs, beside: [...new Set(beside)] };
}
