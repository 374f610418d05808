import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { age, amount, day, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import { UNCOMMITTED, type SeenArea } from '../history/analyze-git.ts';
import { subject } from '../history/commit-hints.ts';
import type { SeenCommit } from '../history/commits.ts';
import type { Findings } from './findings.ts';

const SHOWN_COMMITS = 3;
const SHOWN_FILES = 4;
/** Pieces of evidence of one claim: more are not looked up. */
const SHOWN_EVIDENCE = 3;

const folderName = (folder: string): SafeText => (folder === '' ? say`the top folder` : quote(`${folder}/`));
const percent = (share: number): SafeText => say`${Math.round(share * 100)}%`;

function place(area: SeenArea, findings: Findings): Claim[] {
  const { repository } = findings.history;
  const commits = repository?.recent?.commits ?? [];
  const newest = repository === undefined ? findings.structure.newest[0] : commits.find(({ sha }) => area.changes.includes(sha));
  const time = repository === undefined ? findings.structure.newest[0]?.modified : newest && 'time' in newest ? newest.time : undefined;
  const when = time === undefined ? say`` : say`, last ${repository === undefined ? say`modified` : say`committed`} ${age(findings.now, time)} ago`;
  const basis =
    repository === undefined
      ? say`the files modified last (there is no git history)`
      : say`the work in the last ${amount(commits.length, 'commit')}${area.changes.includes(UNCOMMITTED) ? say` and the uncommitted changes` : say``}, newer ones counting more`;
  return claimIf(say`${folderName(area.folder)} holds ${percent(area.share)} of ${basis}${when}.`, area.evidence.slice(0, SHOWN_EVIDENCE));
}

function files(area: SeenArea): Claim[] {
  const names = area.files.slice(0, SHOWN_FILES).map(({ path }) => quote(path));
  return claimIf(say`Files changed most there: ${join(names)}.`, area.evidence.slice(0, 1));
}

function commitClaim(commit: SeenCommit, now: number): Claim {
  const when = commit.time === undefined ? say`` : say`, ${day(commit.time)} (${age(now, commit.time)} ago)`;
  return claim(say`${quote(subject(commit.message), 100)} by ${quote(commit.author, 40)}${when}`, commit.evidence);
}

/** Where work happened last: the folder, its files, the commits, and where it was before. */
export function lastActiveArea(findings: Findings): Claim[] {
  const [area, ...others] = findings.history.areas;
  if (area === undefined) return [];
  const commits = findings.history.repository?.recent?.commits ?? [];
  const there = commits.filter(({ sha }) => area.changes.includes(sha));
  return [
    ...place(area, findings),
    ...files(area),
    ...there.slice(0, SHOWN_COMMITS).map((commit) => commitClaim(commit, findings.now)),
    ...claimIf(
      say`Also active: ${join(others.map(({ folder, share }) => say`${folderName(folder)} (${percent(share)})`))}.`,
      others.flatMap(({ evidence }) => evidence.slice(0, 1)),
    ),
  ];
}
