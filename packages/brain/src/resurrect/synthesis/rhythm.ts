import { claim, type Claim } from '../evidence/claim.ts';
import { age, amount, day, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import { lookUnpacked, type Repository } from '../history/analyze-git.ts';
import type { SeenCommit } from '../history/commits.ts';
import type { Findings } from './findings.ts';

const SHOWN_AUTHORS = 3;
const DAY_MS = 86_400_000;
/** Days without work after which a project is dormant. */
const DORMANT_DAYS = 30;

const timeOf = (commit: SeenCommit | undefined): number => commit?.time ?? 0;

/** Returns the newest commit of the other branches, if it is newer than what is checked out. */
function newerElsewhere({ references: { unmerged, main } }: Repository, here: SeenCommit): { name: string; latest: SeenCommit } | undefined {
  const others = [...unmerged, ...(main?.beyond === undefined ? [] : [{ name: main.name, latest: main.beyond }])];
  return others.filter(({ latest }) => timeOf(latest) > timeOf(here)).toSorted((a, b) => timeOf(b.latest) - timeOf(a.latest))[0];
}

/** Returns when an uncommitted file was changed last; undefined if the times of files say nothing. */
function lastEdit({ uncommitted }: Repository, structure: Findings['structure']): number | undefined {
  if (lookUnpacked(structure)) return undefined;
  const open = new Set(uncommitted.paths);
  return structure.newest.find(({ path }) => open.has(path))?.modified;
}

/** The days on which somebody worked on a project. */
interface LastWork {
  /** The newest commit of what is checked out. */
  readonly here: SeenCommit;
  /** The newest of another branch, if it is newer. */
  readonly other: ReturnType<typeof newerElsewhere>;
  /** When an uncommitted file was modified last; 0 if that is not known. */
  readonly edited: number;
}

/** Tells when somebody last worked on the project; nothing if the time of the last commit is not known. */
function lastWorked({ here, other, edited }: LastWork, now: number): SafeText {
  const { time, day: dayOfCommit = '' } = other?.latest ?? here;
  if (time === undefined) return say``;
  const onBranch = (current: SafeText): SafeText => (other === undefined ? say`` : say`, on branch ${other.name}; ${current} on what is checked out`);
  const last = Math.max(time, edited);
  const isLongAgo = (then: number): boolean => now - then > DORMANT_DAYS * DAY_MS;
  if (isLongAgo(last)) return say`Dormant for ${age(now, last)}: last commit ${day(dayOfCommit)}${onBranch(day(here.day ?? ''))}. `;
  const hereAgo = here.time === undefined ? say`earlier` : say`${age(now, here.time)} ago`;
  const wasEdited = edited > time && isLongAgo(time) ? say`, and an uncommitted file was modified ${age(now, edited)} ago` : say``;
  return say`Last commit ${age(now, time)} ago${onBranch(hereAgo)}${wasEdited}. `;
}

/** Names the commits that were seen. */
function seenCommits({ commits, more, shallow }: NonNullable<Repository['recent']>): SafeText {
  if (commits.length === 1 && !shallow) return say`the only commit`;
  const extent = more ? say`the last ` : shallow ? say`the fetched (shallow clone) ` : say`all `;
  return say`${extent}${amount(commits.length, 'commit')}`;
}

/** Reports when somebody last worked on the project, on any branch, and who did. */
export function rhythm(repository: Repository, { structure, now }: Findings): Claim[] {
  const { recent } = repository;
  if (recent === undefined) return [];
  const [here] = recent.commits;
  if (here === undefined) return [claim(say`No commits yet.`, recent.evidence)];
  const authors = new Map<string, number>();
  for (const { author } of recent.commits) authors.set(author, (authors.get(author) ?? 0) + 1);
  const ranked = [...authors].sort((a, b) => b[1] - a[1]).slice(0, SHOWN_AUTHORS);
  const by = join(ranked.map(([author, commits]) => say`${quote(author, 40)} (${commits})`));
  const other = newerElsewhere(repository, here);
  const when = lastWorked({ here, other, edited: lastEdit(repository, structure) ?? 0 }, now);
  const text = say`${when}Authors of ${seenCommits(recent)}: ${by}.`;
  return [claim(text, here.evidence, ...(other === undefined ? [] : [other.latest.evidence]))];
}
