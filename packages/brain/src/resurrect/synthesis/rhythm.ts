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
  const latest = other?.latest ?? here;
  const edited = lastEdit(repository, structure) ?? 0;
  const isDormant = latest.time !== undefined && now - Math.max(latest.time, edited) > DORMANT_DAYS * DAY_MS;
  const onBranch = (current: SafeText): SafeText => (other === undefined ? say`` : say`, on branch ${other.name}; ${current} on what is checked out`);
  const isEdited = edited > (latest.time ?? edited) && now - (latest.time ?? now) > DORMANT_DAYS * DAY_MS;
  const wasEdited = isEdited ? say`, and an uncommitted file was modified ${age(now, edited)} ago` : say``;
  const hereAgo = here.time === undefined ? say`earlier` : say`${age(now, here.time)} ago`;
  const when =
    latest.time === undefined
      ? say``
      : isDormant
        ? say`Dormant for ${age(now, Math.max(latest.time, edited))}: last commit ${day(latest.day ?? '')}${onBranch(day(here.day ?? ''))}. `
        : say`Last commit ${age(now, latest.time)} ago${onBranch(hereAgo)}${wasEdited}. `;
  const extent = recent.more ? say`the last ` : recent.shallow ? say`the fetched (shallow clone) ` : say`all `;
  const those = recent.commits.length === 1 && !recent.shallow ? say`the only commit` : say`${extent}${amount(recent.commits.length, 'commit')}`;
  return [claim(say`${when}Authors of ${those}: ${by}.`, here.evidence, ...(other === undefined ? [] : [other.latest.evidence]))];
}
