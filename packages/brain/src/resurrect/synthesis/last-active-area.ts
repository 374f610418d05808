import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { age, amount, day, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import { UNCOMMITTED, type SeenArea } from '../history/analyze-git.ts';
import { subject } from '../history/commit-hints.ts';
import type { SeenCommit } from '../history/commits.ts';
import type { Findings } from './findings.ts';

const SHOWN_COMMITS = 3;
const SHOWN_FILES = 4;
/** Maximum number of citations per claim. */
const SHOWN_EVIDENCE = 3;

const folderName = (folder: string): SafeText => quote(folder === '' ? './' : `${folder}/`);
const percent = (share: number): SafeText => say`${Math.round(share * 100)}%`;

/** Names an area. An area that contains another one consists of the remaining files. */
function areaName(folder: string, areas: readonly SeenArea[]): SafeText {
  const inner = folder === '' ? [] : areas.filter((area) => area.folder.startsWith(`${folder}/`));
  return inner.length === 0 ? folderName(folder) : say`${folderName(folder)} outside of ${join(inner.map((area) => folderName(area.folder)))}`;
}

/** Describes the counted changes, such as `the last 30 commits and the uncommitted changes`. */
function countedChanges({ repository, counted }: Findings['history']): SafeText {
  const commits = counted.filter((id) => id !== UNCOMMITTED).length;
  const isOpen = commits < counted.length;
  if (repository === undefined) return say`the ${amount(counted.length, 'file')} modified last`;
  const { recent } = repository;
  const isOnly = commits === 1 && recent?.commits.length === 1 && !recent.shallow;
  const last = commits === 1 ? say`the ${isOnly ? say`only` : say`last`} commit` : say`the last ${amount(commits, 'commit')}`;
  if (commits === 0) return say`the uncommitted changes`;
  return isOpen ? say`${last} and the uncommitted changes` : last;
}

/** Says which commits are not counted; empty if all of the newest are. */
function notCounted({ repository, counted }: Findings['history']): SafeText {
  const commits = repository?.recent?.commits ?? [];
  const ids = new Set(counted);
  const end = commits.findLastIndex(({ sha }) => ids.has(sha));
  return commits.slice(0, end + 1).some(({ sha }) => !ids.has(sha))
    ? say` Merges, releases, and commits that only update dependencies or the change log are not counted.`
    : say``;
}

function lastTouched(area: SeenArea, { history, structure, now }: Findings): SafeText {
  const commits = history.repository?.recent?.commits ?? [];
  const committed = commits.find(({ sha }) => area.changes.includes(sha))?.time;
  if (committed !== undefined) return say`, the newest ${age(now, committed)} ago`;
  const modified = history.repository === undefined ? structure.newest.find(({ path }) => area.changes.includes(path))?.modified : undefined;
  return modified === undefined ? say`` : say`, the newest ${age(now, modified)} ago`;
}

function place(area: SeenArea, findings: Findings): Claim[] {
  const { history } = findings;
  const touching = area.changes.length;
  const name = areaName(area.folder, history.areas);
  const changes = countedChanges(history);
  const isMixed = history.counted.length > 1 && history.counted.includes(UNCOMMITTED);
  const counted = isMixed
    ? say`${touching} of ${amount(history.counted.length, 'change')} touched it (${percent(area.share)}), counting ${changes}`
    : say`${touching} of ${changes} touched it (${percent(area.share)})`;
  const share =
    history.counted.length === 1
      ? say`${name} has the work of ${changes}`
      : history.repository === undefined
        ? say`${name} has ${touching} of ${changes} (${percent(area.share)})`
        : say`${name} has the largest share of the recent work: ${counted}`;
  return claimIf(say`${share}${lastTouched(area, findings)}.${notCounted(history)}`, area.evidence.slice(0, SHOWN_EVIDENCE));
}

function files(area: SeenArea): Claim[] {
  const [most] = area.files;
  // If each file was changed once, none was changed most.
  const isEven = most === undefined || most.changes === 1;
  const names = area.files.slice(0, SHOWN_FILES).map(({ path, changes }) => (isEven ? quote(path) : say`${quote(path)} (${changes}×)`));
  const folders = area.inside.map(({ folder, share }) => say`${folderName(folder)} (${percent(share)})`);
  const within = folders.length === 0 ? say`` : say`Busiest inside: ${join(folders)}. `;
  return claimIf(say`${within}Files that changed ${isEven ? say`last` : say`most`}: ${join(names)}.`, area.evidence.slice(0, 1));
}

function commitClaim(commit: SeenCommit, now: number): Claim {
  const when = commit.time === undefined ? say`` : say`, ${day(commit.day ?? '')} (${age(now, commit.time)} ago)`;
  return claim(say`${quote(subject(commit.message), 100)} by ${quote(commit.author, 40)}${when}`, commit.evidence);
}

/** Reports where work happened last: the folder, its files, the commits, and other areas. */
export function lastActiveArea(findings: Findings): Claim[] {
  const [area, ...others] = findings.history.areas;
  if (area === undefined) return [];
  const commits = findings.history.repository?.work ?? [];
  const there = commits.filter(({ sha }) => area.changes.includes(sha));
  return [
    ...place(area, findings),
    ...files(area),
    ...there.slice(0, SHOWN_COMMITS).map((commit) => commitClaim(commit, findings.now)),
    ...claimIf(
      say`Also active, counted the same way: ${join(others.map(({ folder, share }) => say`${areaName(folder, findings.history.areas)} (${percent(share)})`))}.`,
      others.flatMap(({ evidence }) => evidence.slice(0, 1)),
    ),
  ];
}
