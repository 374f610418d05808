import { atFile, atLine, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { ToolData } from '@synapse/hands';
import type { Answer, Ask } from '../call-log.ts';
import { PAGE, seenCommits, type SeenCommit } from './commits.ts';
import { BRANCHES, latestRelease, looseReferences, packedReferences, TAGS, type Reference } from './references.ts';

/** A number of commits; with `more` a lower bound. */
export interface Extent {
  readonly commits: number;
  readonly more: boolean;
}

/** A branch with commits that the current branch lacks. */
export interface UnmergedBranch extends Extent {
  readonly name: string;
  readonly latest: SeenCommit;
}

/** The current branch or detached HEAD compared with the main branch. */
export interface MainBranch {
  readonly name: string;
  /** Commits of the current branch that the main branch lacks. */
  readonly ahead: Extent;
  /** Commits of the main branch that the current branch lacks. */
  readonly behind: Extent;
  /** The newest commit that the main branch lacks. */
  readonly latest: SeenCommit | undefined;
  /** The newest commit that the current branch lacks. */
  readonly beyond: SeenCommit | undefined;
  readonly evidence: Evidence;
}

/** The tag of the latest release. */
export interface Release {
  readonly name: string;
  /** The commits since the release. */
  readonly since: Extent | undefined;
  /** Whether the release has commits that the current branch lacks. */
  readonly elsewhere: boolean;
  readonly evidence: Evidence;
}

/** The references of a repository. */
export interface References {
  readonly unmerged: readonly UnmergedBranch[];
  /** Undefined on the main branch itself, and without a main branch. */
  readonly main: MainBranch | undefined;
  readonly release: Release | undefined;
}

const PACKED_REFS = '.git/packed-refs';
/** Maximum number of lines to read. With many tags the last lines are read, which sort highest. */
const PACKED_LINES = 1_000;
/** Maximum number of branches to inspect, most recently moved first. */
const MAXIMUM_BRANCHES = 6;
/** Names of main branches, most likely first. */
const MAIN_NAMES = ['main', 'master', 'trunk', 'develop', 'development', 'default'];
/** Folder depth. Branch names may contain slashes: `feature/team/thing`. */
const REFERENCE_DEPTH = 6;

/** Returns the number of commits of a range. Git counts those that a page does not list. */
function extentOf({ data }: Answer<ToolData<'git_log'>>, listed = data.commits.length): Extent {
  return { commits: data.total ?? listed, more: data.has_more && data.total === undefined };
}

async function findUnmerged(ask: Ask, branches: readonly Reference[], skipped: readonly string[]): Promise<UnmergedBranch[]> {
  const others = branches.filter(({ name }) => !skipped.includes(name)).sort((a, b) => (b.modified ?? 0) - (a.modified ?? 0));
  const looked = await Promise.all(
    others.slice(0, MAXIMUM_BRANCHES).map(async ({ name }) => {
      const answer = await ask('git_log', { limit: PAGE, revision: `HEAD..refs/heads/${name}`, files: false });
      const [latest, ...earlier] = answer.ok ? seenCommits(answer) : [];
      return latest === undefined || !answer.ok ? [] : [{ name, latest, ...extentOf(answer, earlier.length + 1) }];
    }),
  );
  return looked.flat().toSorted((a, b) => (b.latest.time ?? 0) - (a.latest.time ?? 0));
}

async function compareWithMain(ask: Ask, name: string): Promise<MainBranch | undefined> {
  const [ahead, behind] = await Promise.all([
    ask('git_log', { limit: PAGE, revision: `refs/heads/${name}..HEAD`, files: false }),
    ask('git_log', { limit: PAGE, revision: `HEAD..refs/heads/${name}`, files: false }),
  ]);
  if (!ahead.ok || !behind.ok) return undefined;
  return {
    name,
    ahead: extentOf(ahead),
    behind: extentOf(behind),
    latest: seenCommits(ahead)[0],
    beyond: seenCommits(behind)[0],
    evidence: inAnswer(ahead),
  };
}

async function describeRelease(ask: Ask, tag: Reference, evidence: Evidence): Promise<Release> {
  const [since, beyond] = await Promise.all([
    ask('git_log', { limit: PAGE, revision: `refs/tags/${tag.name}..HEAD`, files: false }),
    ask('git_log', { limit: 1, revision: `HEAD..refs/tags/${tag.name}`, files: false }),
  ]);
  return {
    name: tag.name,
    evidence,
    since: since.ok ? extentOf(since) : undefined,
    elsewhere: beyond.ok && beyond.data.commits.length > 0,
  };
}

/** Inspects other branches and the latest release. */
export async function readReferences(ask: Ask, current: Promise<string>): Promise<References> {
  const [loose, packed] = await Promise.all([
    ask('list_directory', { path: '.git/refs', depth: REFERENCE_DEPTH, hidden: false }),
    ask('read_file', { path: PACKED_REFS, offset: -PACKED_LINES }),
  ]);
  const files = loose.ok ? loose.data.entries.filter(({ type }) => type === 'file') : [];
  const inPacked = (kind: 'heads' | 'tags'): Reference[] =>
    packed.ok ? packedReferences(packed.data.content, PACKED_REFS, packed.data.first_line, kind) : [];
  const unique = (references: readonly Reference[]): Reference[] => [...new Map(references.toReversed().map((each) => [each.name, each])).values()];
  const evidenceOf = ({ path, line }: Reference): Evidence | undefined => {
    if (line !== undefined) return packed.ok ? atLine(packed, path, line) : undefined;
    return loose.ok ? atFile(loose, path) : undefined;
  };
  const tag = latestRelease(unique([...looseReferences(files, TAGS), ...inPacked('tags')]));
  const tagEvidence = tag === undefined ? undefined : evidenceOf(tag);
  const branches = unique([...looseReferences(files, BRANCHES), ...inPacked('heads')]);
  const own = await current;
  const goal = MAIN_NAMES.find((name) => branches.some((branch) => branch.name === name));
  const [main, unmerged, release] = await Promise.all([
    goal === undefined || goal === own ? undefined : compareWithMain(ask, goal),
    findUnmerged(ask, branches, [own, ...(goal === undefined ? [] : [goal])]),
    tag === undefined || tagEvidence === undefined ? undefined : describeRelease(ask, tag, tagEvidence),
  ]);
  return { unmerged, main, release };
}
