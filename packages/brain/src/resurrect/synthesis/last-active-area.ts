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
function otherName(folder: string, areas: readonly SeenArea[]): SafeText {
  const isAround = folder !== '' && areas.some((area) => area.folder.startsWith(`${folder}/`));
  return isAround ? say`elsewhere in ${folderName(folder)}` : folderName(folder);
}

/** Describes the commits that were counted. */
function countedCommits({ repository }: Findings['history']): SafeText {
  const { work = [], recent } = repository ?? {};
  const read = recent?.commits.length ?? 0;
  if (work.length === read)
    return work.length === 1 ? say`the ${recent?.shallow === true ? say`last` : say`only`} commit` : say`the last ${amount(work.length, 'commit')}`;
  return say`the ${work.length} of the last ${amount(read, 'commit')} that are no merges, dependency updates or releases`;
}

/** Describes what the shares of the areas refer to. */
function basis(area: SeenArea, { history }: Findings): SafeText {
  const total = history.fileChanges;
  if (history.repository === undefined) return say`the files modified last (${area.fileChanges} of ${total})`;
  const { work } = history.repository;
  const open = history.areas.some(({ changes }) => changes.includes(UNCOMMITTED)) ? say`the uncommitted changes` : undefined;
  const counted = say`${area.fileChanges} of ${amount(total, 'file change')}`;
  if (work.length === 0) return say`${open ?? say`the work`}: ${counted}`;
  const touching = area.changes.filter((id) => id !== UNCOMMITTED).length;
  const and = open === undefined ? say`` : say` and ${open}`;
  const commits = work.length === 1 ? say`` : say`, by ${amount(touching, 'commit')}`;
  return say`the work in ${countedCommits(history)}${and} (${counted}${commits})`;
}

function lastTouched(area: SeenArea, { history, structure, now }: Findings): SafeText {
  const commits = history.repository?.recent?.commits ?? [];
  const committed = commits.find(({ sha }) => area.changes.includes(sha))?.time;
  if (committed !== undefined) return say`, last committed ${age(now, committed)} ago`;
  const modified = history.repository === undefined ? structure.newest.find(({ path }) => area.changes.includes(path))?.modified : undefined;
  return modified === undefined ? say`` : say`, last modified ${age(now, modified)} ago`;
}

function place(area: SeenArea, findings: Findings): Claim[] {
  const share = say`${folderName(area.folder)} holds ${percent(area.share)} of ${basis(area, findings)}`;
  return claimIf(say`${share}${lastTouched(area, findings)}.`, area.evidence.slice(0, SHOWN_EVIDENCE));
}

function files(area: SeenArea): Claim[] {
  const [most] = area.files;
  // If each file was changed once, none was changed most.
  const isEven = most === undefined || most.changes === 1;
  const names = area.files.slice(0, SHOWN_FILES).map(({ path, changes }) => (isEven ? quote(path) : say`${quote(path)} (${changes}×)`));
  const folders = area.inside.map(({ folder, share }) => say`${folderName(folder)} (${percent(share)})`);
  const within = folders.length === 0 ? say`` : say`In it ${join(folders)}. `;
  return claimIf(say`${within}Files changed ${isEven ? say`last` : say`most`} there: ${join(names)}.`, area.evidence.slice(0, 1));
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
      say`Also active: ${join(others.map(({ folder, share }) => say`${otherName(folder, findings.history.areas)} (${percent(share)})`))}.`,
      others.flatMap(({ evidence }) => evidence.slice(0, 1)),
    ),
  ];
}
