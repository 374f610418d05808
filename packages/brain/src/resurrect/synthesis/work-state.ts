import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { age, amount, day, join, quote, say, type SafeText } from '../evidence/safe-text.ts';
import type { History, Repository } from '../history/analyze-git.ts';
import { compareVersions, versionOf } from '../devlog/change-log.ts';
import type { Devlog } from '../devlog/read-devlog.ts';
import { isRelease, subject } from '../history/commit-hints.ts';
import type { QuietPackage } from '../history/quiet-packages.ts';
import { changedSubmodules } from '../history/submodules.ts';
import type { Release } from '../history/read-references.ts';
import type { Findings } from './findings.ts';
import { rhythm } from './rhythm.ts';

const SHOWN_PATHS = 5;

function tracking({ status }: Repository): SafeText {
  if (status.upstream === null || status.upstream === undefined)
    return status.has_remote ? say`, which follows no remote branch` : say`, without any remote`;
  const ahead = status.ahead ?? 0;
  const behind = status.behind ?? 0;
  if (ahead === 0 && behind === 0) return say`, level with ${status.upstream}`;
  const parts = [...(ahead > 0 ? [say`${amount(ahead, 'commit')} ahead`] : []), ...(behind > 0 ? [say`${amount(behind, 'commit')} behind`] : [])];
  return say`, ${join(parts)} of ${status.upstream}`;
}

function checkout(repository: Repository): Claim {
  const { status, statusEvidence, rebased } = repository;
  const where = status.detached
    ? say`HEAD is detached at ${quote(status.head?.slice(0, 9) ?? 'an unknown commit')}`
    : say`On branch ${status.branch ?? 'unknown'}${tracking(repository)}`;
  const operation =
    status.operation === null || status.operation === undefined
      ? say``
      : say`, in the middle of a ${status.operation}${rebased === undefined ? say`` : say` of branch ${rebased.branch}`}`;
  return claim(say`${where}${operation}.`, statusEvidence, ...(rebased === undefined ? [] : [rebased.evidence]));
}

export function uncommittedWork({ status, statusEvidence, uncommitted: open }: Repository, hasSubmodules: boolean): Claim {
  const beyond = hasSubmodules ? say`; submodules were not looked into` : say``;
  if (open.paths.length === 0) return claim(say`Nothing is uncommitted${beyond}.`, statusEvidence);
  const { counts } = status;
  const submodules = changedSubmodules(open.patches).length;
  const files = open.files - submodules;
  const what = join([...(files > 0 ? [amount(files, 'file')] : []), ...(submodules > 0 ? [amount(submodules, 'submodule')] : [])]);
  const kinds = [
    ...(counts.conflicted > 0 ? [say`${counts.conflicted} in conflict`] : []),
    ...(counts.staged > 0 ? [say`${counts.staged} staged`] : []),
    ...(counts.unstaged > 0 ? [say`${counts.unstaged} changed`] : []),
    ...(counts.untracked > 0 ? [say`${counts.untracked} untracked`] : []),
  ];
  const lines = open.added + open.removed === 0 ? say`` : say`, +${open.added} -${open.removed} lines`;
  const shown = open.paths.slice(0, SHOWN_PATHS).map((path) => quote(path));
  const more = open.files > shown.length ? say` and ${open.files - shown.length} more` : say``;
  return claim(say`${what} uncommitted (${join(kinds)}${lines}): ${join(shown)}${more}${beyond}.`, statusEvidence, ...open.evidence.slice(0, 1));
}

/** Describes the position of a release relative to the current commit. */
export function sinceRelease({ since, elsewhere }: Release): SafeText {
  if (since === undefined) return say``;
  const commits = say`${amount(since.commits, 'commit')}${since.more ? say` or more` : say``}`;
  if (elsewhere) return since.commits === 0 ? say`, ahead of the current commit` : say`, on another branch: ${commits} here are not in it`;
  return since.commits === 0 ? say`, at the current commit` : say`, ${commits} ago`;
}

function release({ references, recent }: Repository): Claim[] {
  const { release } = references;
  if (release !== undefined) return [claim(say`Highest release tag: ${release.name}${sinceRelease(release)}.`, release.evidence)];
  const commit = recent?.commits.find(({ message }) => isRelease(message));
  return commit === undefined ? [] : [claim(say`Last release commit: ${quote(subject(commit.message), 100)}.`, commit.evidence)];
}

/** Returns the work after which a package was left alone, apart from version updates. */
const lastWork = ({ last, hasUpkeep }: QuietPackage, now: number): SafeText =>
  say`${day(last.day ?? '')} (${age(now, last.time)} ago${hasUpkeep ? say`; after it came only updates and releases` : say``})`;

function quietPackages({ quietPackages: quiet }: Repository, now: number): Claim[] {
  return quiet.map((each) =>
    claim(
      say`No other manifest and no source file outside ${each.folder} names its package ${each.name}; the last work on it is of ${lastWork(each, now)}, and other packages had ${amount(each.since, 'commit')} since.`,
      ...each.evidence,
      each.last.evidence,
      each.newest.evidence,
    ),
  );
}

/** Names the repositories in a folder of projects. */
function innerRepositories({ inner: { folders, more } }: History): Claim[] {
  const shown = folders.slice(0, SHOWN_PATHS);
  const rest = folders.length > shown.length ? say` and ${folders.length - shown.length} more` : say``;
  const count = say`${amount(folders.length, 'folder')}${more ? say` or more` : say``}`;
  const are = folders.length === 1 ? say`is a git repository` : say`are git repositories`;
  const names = join(shown.map(({ folder }) => quote(`${folder}/`)));
  return claimIf(
    say`${count} in it ${are}: ${names}${rest}.`,
    shown.map(({ evidence }) => evidence),
  );
}

/** Reports the state of the checkout and its history. */
export function workState(findings: Findings): Claim[] {
  const { history, structure, now } = findings;
  const { repository, noRepository, unreadable } = history;
  if (unreadable !== undefined)
    return [claim(say`There is a git repository that git could not read: ${quote(unreadable.reason)}`, unreadable.evidence)];
  if (repository === undefined && structure.isBare) {
    return claimIf(
      say`A bare git repository, without a working tree: its files are in its history alone, which was not read.`,
      structure.evidence ?? [],
    );
  }
  if (repository === undefined)
    return [
      ...claimIf(say`Not a git repository: there is no history.`, noRepository === undefined ? [] : [noRepository]),
      ...innerRepositories(history),
    ];
  return [
    checkout(repository),
    uncommittedWork(repository, structure.hasSubmodules),
    ...rhythm(repository, findings),
    ...release(repository),
    ...quietPackages(repository, now),
  ];
}

/** Reports the last recorded test run, if it failed. */
export function testState({ history: { failedRun, repository }, now }: Findings): Claim[] {
  if (failedRun === undefined) return [];
  const { count, modified, evidence } = failedRun;
  const latest = repository?.recent?.commits[0]?.time;
  const before = latest !== undefined && modified < latest ? say`, before the last commit` : say``;
  return [claim(say`The last recorded test run failed in ${amount(count, 'test')}, ${age(now, modified)} ago${before}.`, evidence)];
}

/** Says that a log ends before the newest release tag; empty if it does not. */
function behindTag(entry: string, { history }: Findings): SafeText {
  const tag = history.repository?.references.release?.name;
  const [logged, tagged] = [entry, tag].map((text) => versionOf(text ?? ''));
  return tag === undefined || logged === undefined || tagged === undefined || compareVersions(logged, tagged) >= 0
    ? say``
    : say` It ends before the highest release tag, ${tag}.`;
}

/** Says that a log has its latest entry as unreleased; empty if the heading says so. */
function releaseMark({ entry, unreleased }: Devlog, { history }: Findings): SafeText {
  if (unreleased.length === 0 || entry === undefined || /released/iu.test(entry.text)) return say``;
  const tag = history.repository?.references.release?.name;
  const [listed, tagged] = [entry.text, tag].map((text) => versionOf(text ?? ''));
  const isTagged = listed !== undefined && tagged !== undefined && compareVersions(listed, tagged) <= 0;
  return isTagged ? say`, marked as unreleased although the tag ${tag ?? ''} exists` : say`, not released yet`;
}

/** Reports the latest entries of the project's logs, and how much its lists of tasks hold. */
export function logState(findings: Findings): Claim[] {
  const { devlogs } = findings;
  const entries = devlogs.flatMap((log) => {
    const { path, entry, summary, elsewhere } = log;
    if (entry === undefined) return [];
    if (elsewhere !== undefined)
      return [
        claim(
          say`${path} goes up to ${quote(entry.text, 80)}, and says where newer entries are: ${quote(elsewhere.text)}.`,
          elsewhere.evidence,
          entry.evidence,
        ),
      ];
    const words = summary === undefined ? say`` : say`: ${quote(summary.text)}`;
    const mark = releaseMark(log, findings);
    return [claim(say`Latest entry of ${path}: ${quote(entry.text, 80)}${mark}${words}.${behindTag(entry.text, findings)}`, entry.evidence)];
  });
  const lists = devlogs.flatMap(({ path, entry, open }) =>
    entry === undefined
      ? claimIf(
          say`${path} has ${amount(open.length, 'open item')}.`,
          open.slice(0, 1).map(({ evidence }) => evidence),
        )
      : [],
  );
  return [...entries.slice(0, 2), ...lists.slice(0, 2)];
}
