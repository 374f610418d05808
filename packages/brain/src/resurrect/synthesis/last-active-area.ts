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

const folderName = (folder: string): SafeText => quote(folder === '' ? './' : `${folder}/`);
const percent = (share: number): SafeText => say`${Math.round(share * 100)}%`;

/** An area around another one is what is left of it. */
function otherName(folder: string, areas: readonly SeenArea[]): SafeText {
  const isAround = folder !== '' && areas.some((area) => area.folder.startsWith(`${folder}/`));
  return isAround ? say`elsewhere in ${folderName(folder)}` : folderName(folder);
}

/** How to call a commit that was seen alone. */
const onlyOrLast = ({ repository }: Findings['history']): SafeText => (repository?.recent?.shallow === true ? say`last` : say`only`);

/** What the shares of the areas are shares of. */
function basis(area: SeenArea, { history }: Findings): SafeText {
  if (history.repository === undefined) return say`the files modified last`;
  const commits = history.repository.recent?.commits.length ?? 0;
  const open = area.changes.includes(UNCOMMITTED) ? say`the uncommitted changes` : undefined;
  if (commits === 0) return open ?? say`the work`;
  const and = open === undefined ? say`` : say` and ${open}`;
  return commits === 1
    ? say`the work in the ${onlyOrLast(history)} commit${and}`
    : say`the work in the last ${amount(commits, 'commit')}${and}, newer ones counting more`;
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
  const names = area.files.slice(0, SHOWN_FILES).map(({ path }) => quote(path));
  const folders = area.inside.map(({ folder, share }) => say`${folderName(folder)} (${percent(share)})`);
  const within = folders.length === 0 ? say`` : say`In it mostly ${join(folders)}. `;
  return claimIf(say`${within}Files changed most there: ${join(names)}.`, area.evidence.slice(0, 1));
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
      say`Also active: ${join(others.map(({ folder, share }) => say`${otherName(folder, findings.history.areas)} (${percent(share)})`))}.`,
      others.flatMap(({ evidence }) => evidence.slice(0, 1)),
    ),
  ];
}
