import { atFile, atLine, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import { PAGE, seenCommits, type SeenCommit } from './commits.ts';
import { BRANCHES, latestRelease, looseReferences, packedReferences, TAGS, type Reference } from './references.ts';

/** A branch with commits that the current one does not have. */
export interface UnmergedBranch {
  readonly name: string;
  readonly latest: SeenCommit;
  readonly commits: number;
}

/** The tag of the last release. */
export interface Release {
  readonly name: string;
  /** Commits that it does not have; `more` where there are at least that many. */
  readonly since: { readonly commits: number; readonly more: boolean } | undefined;
  /** Whether it has commits that the current branch does not have. */
  readonly elsewhere: boolean;
  readonly evidence: Evidence;
}

/** What the references of a repository show. */
export interface References {
  readonly unmerged: readonly UnmergedBranch[];
  readonly release: Release | undefined;
}

const PACKED_REFS = '.git/packed-refs';
/** Lines: of many tags the last are read, which sort highest. */
const PACKED_LINES = 1_000;
/** Branches looked into, the most recently moved first. */
const MAXIMUM_BRANCHES = 4;
/** A name may hold slashes: `feature/team/thing`. */
const REFERENCE_DEPTH = 6;

async function findUnmerged(ask: Ask, branches: readonly Reference[], current: Promise<string>): Promise<UnmergedBranch[]> {
  const own = await current;
  const others = branches.filter(({ name }) => name !== own).sort((a, b) => (b.modified ?? 0) - (a.modified ?? 0));
  const looked = await Promise.all(
    others.slice(0, MAXIMUM_BRANCHES).map(async ({ name }) => {
      const answer = await ask('git_log', { limit: PAGE, revision: `HEAD..refs/heads/${name}`, files: false });
      const [latest, ...earlier] = answer.ok ? seenCommits(answer) : [];
      return latest === undefined ? [] : [{ name, latest, commits: earlier.length + 1 }];
    }),
  );
  return looked.flat();
}

async function describeRelease(ask: Ask, tag: Reference, evidence: Evidence): Promise<Release> {
  const [since, beyond] = await Promise.all([
    ask('git_log', { limit: PAGE, revision: `refs/tags/${tag.name}..HEAD`, files: false }),
    ask('git_log', { limit: 1, revision: `HEAD..refs/tags/${tag.name}`, files: false }),
  ]);
  return {
    name: tag.name,
    evidence,
    since: since.ok ? { commits: since.data.commits.length, more: since.data.has_more } : undefined,
    elsewhere: beyond.ok && beyond.data.commits.length > 0,
  };
}

/** Looks into branches other than the current one, and at the last release. */
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
  const [unmerged, release] = await Promise.all([
    findUnmerged(ask, unique([...looseReferences(files, BRANCHES), ...inPacked('heads')]), current),
    tag === undefined || tagEvidence === undefined ? undefined : describeRelease(ask, tag, tagEvidence),
  ]);
  return { unmerged, release };
}
