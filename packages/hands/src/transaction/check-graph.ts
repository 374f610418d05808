import { realpathSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { GRAPH_SECONDS, readCommitGraph, type CommitGraph, type GraphedCommit } from '../git-format/read-commit-graph.ts';
import { displayName, joinNames } from '../workspace/byte-name.ts';
import type { Processes } from '../process/processes.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { readRegular } from '../workspace/read-regular.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeEntry } from './change-entry.ts';
import { CommitStore, hasPlainObjects } from './commit-store.ts';

/** Maximum bytes of a graph: about four million commits. */
const MAX_GRAPH_BYTES = 256 * 1024 * 1024;
/** Maximum files in a chain. git merges them long before. */
const MAX_FILES = 64;
const CHAIN = 'commit-graph-chain';
const IN_CHAIN = /^graph-(?<name>[\da-f]+)\.graph$/u;

/** Dependencies of checking a graph. */
export interface GraphParts {
  readonly confinement: Confinement;
  readonly processes: Processes;
  readonly signal: AbortSignal;
  /** Where temporary files are made. */
  readonly above: string;
  /** The layer of the command. */
  readonly upper: string;
}

/**
 * Whether a graph of commits says of each commit what the commit says. git takes the history from it without a look at the commits. Each commit is
 * read, and compared with its name, so objects in the layer that are false themselves show nothing else.
 */
export async function isGraphTrue(parts: GraphParts, entry: ChangeEntry): Promise<boolean> {
  const name = displayName(entry.name);
  if (name === CHAIN) return isChainTrue(entry);
  const graph = readGraph(entry, entry.name);
  const inChain = IN_CHAIN.exec(name)?.groups?.['name'];
  if (graph === undefined || (inChain === undefined ? graph.bases.length > 0 : inChain !== graph.name)) return false;
  const bases = graph.bases.length > MAX_FILES ? [] : graph.bases.map((base) => readGraph(entry, `graph-${base}.graph`));
  const chain = [...bases, graph].filter((one) => one !== undefined);
  const fits = chain.length === graph.bases.length + 1 && chain.every((one, index) => isPart(one, graph, index));
  return fits && (await isTrue(parts, entry.location.slice(0, entry.location.lastIndexOf('objects') + 1), graph, new Positions(chain)));
}

/** Whether a file of a chain is the one of its place, with the same files below it. */
const isPart = ({ name, bases, hashBytes }: CommitGraph, top: CommitGraph, index: number): boolean =>
  hashBytes === top.hashBytes && name === (top.bases[index] ?? top.name) && bases.join(' ') === top.bases.slice(0, index).join(' ');

/** Whether each file in a list is on top of those before it. Otherwise positions in it would mean other commits. */
function isChainTrue(entry: ChangeEntry): boolean {
  const names = readBytes(entry.upper.at(entry.name))?.toString('latin1').split('\n') ?? [];
  if (names.pop() !== '' || names.length > MAX_FILES) return false;
  return names.every((name, index) => {
    const graph = /^[\da-f]+$/u.test(name) ? readGraph(entry, `graph-${name}.graph`) : undefined;
    return graph?.name === name && graph.bases.join(' ') === names.slice(0, index).join(' ');
  });
}

/** Reads a graph beside an entry. One that the workspace has already stays. */
function readGraph({ isBeside, upper, lower, name: own }: ChangeEntry, name: ChangeEntry['name']): CommitGraph | undefined {
  const before = isBeside && name !== own ? readBytes(lower.at(name)) : undefined;
  const bytes = before ?? readBytes(upper.at(name));
  return bytes && readCommitGraph(bytes);
}

const readBytes = (path: string | Buffer): Buffer | undefined => readRegular(path, MAX_GRAPH_BYTES)?.bytes;

/** The commits of a chain of graphs by their positions. */
class Positions {
  readonly #files: ReadonlyArray<{ readonly graph: CommitGraph; readonly start: number }>;

  constructor(chain: readonly CommitGraph[]) {
    let start = 0;
    this.#files = chain.map((graph) => {
      const file = { graph, start };
      start += graph.hashes.length;
      return file;
    });
  }

  at(position: number): { readonly hash: string; readonly commit: GraphedCommit } | undefined {
    const file = this.#files.findLast(({ start }) => start <= position);
    const hash = file?.graph.hashes[position - file.start];
    return file === undefined || hash === undefined ? undefined : { hash, commit: file.graph.commit(position - file.start) };
  }
}

async function isTrue(parts: GraphParts, objects: WorkspacePath, graph: CommitGraph, positions: Positions): Promise<boolean> {
  using upper = new HandleConfinement(parts.upper);
  using repository = upper.openDirectory(objects.slice(0, -1));
  if (!(await hasPlainObjects(repository, parts.signal))) return false;
  const stores = [Buffer.from(joinNames(upper.root, objects)), storeOf(parts.confinement, objects)].filter((store) => store !== undefined);
  // Each line of a list of stores is a path.
  if (stores.some((store) => store.includes('\n'))) return false;
  using store = new CommitStore(parts, parts.above, stores, graph.hashBytes * 2);
  return await store.visitCommits(graph.hashes, (content, index) => isSame(graph.commit(index), readCommit(content), positions));
}

/** The path of a folder of objects in the workspace, or of the repository outside that counts as one; undefined if there is none. */
function storeOf(confinement: Confinement, objects: WorkspacePath): Buffer | undefined {
  try {
    using folder = confinement.openDirectory(objects);
    return realpathSync.native(folder.self, 'buffer');
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly seconds: number;
}

const TREE = /^tree (?<tree>[\da-f]+)$/u;
const PARENT = /^parent (?<parent>[\da-f]+)$/u;
const COMMITTER = /^committer .*> (?<seconds>\d{1,15})(?: |$)/u;

/** Reads a commit; undefined if git may read it in another way. */
function readCommit(content: Buffer): Commit | undefined {
  const end = content.indexOf('\n\n');
  const [first = '', ...lines] = content.toString('latin1', 0, end === -1 ? content.length : end).split('\n');
  const tree = TREE.exec(first)?.groups?.['tree'];
  const others = lines.findIndex((line) => !line.startsWith('parent '));
  const parents = lines.slice(0, others).flatMap((line) => PARENT.exec(line)?.groups?.['parent'] ?? []);
  const seconds = lines[others]?.startsWith('author ') === true ? COMMITTER.exec(lines[others + 1] ?? '')?.groups?.['seconds'] : undefined;
  return tree === undefined || seconds === undefined || parents.length !== others ? undefined : { tree, parents, seconds: Number(seconds) };
}

function isSame(graphed: GraphedCommit, commit: Commit | undefined, positions: Positions): boolean {
  if (commit === undefined || graphed.tree !== commit.tree || graphed.seconds !== commit.seconds % GRAPH_SECONDS || graphed.level < 1) return false;
  const parents = graphed.parents(commit.parents.length);
  if (parents?.length !== commit.parents.length) return false;
  return parents.every((position, index) => {
    const parent = positions.at(position);
    if (parent === undefined || parent.hash !== commit.parents[index] || parent.commit.level >= graphed.level) return false;
    return graphed.corrected === undefined || (parent.commit.corrected ?? Infinity) < graphed.corrected;
  });
}
