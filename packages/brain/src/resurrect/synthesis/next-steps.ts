import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { age, amount, quote, say } from '../evidence/safe-text.ts';
import { commitHint, isByBot, isMerge, subject, type CommitHint } from '../history/commit-hints.ts';
import { usuallyHoldsSecrets } from '../history/secret-files.ts';
import { inFolderOf } from '../metadata/in-folder-of.ts';
import type { Findings } from './findings.ts';

/** Finds things to do of one kind. */
type Rule = (findings: Findings) => readonly Claim[];

/** Steps shown: a person who forgot the project does not start with a ninth. */
const MAXIMUM_STEPS = 8;
/** Commits from the newest on whose messages may tell of unfinished work; older hints were dealt with. */
const HINTING_COMMITS = 5;

const finishOperation: Rule = ({ history: { repository, leftovers } }) => {
  if (repository === undefined) return [];
  const { operation, counts } = repository.status;
  const conflicts = leftovers.filter(({ kind }) => kind === 'conflict');
  // The first marker of each file.
  const markers = [...new Map(conflicts.toReversed().map((each) => [each.path, each.evidence])).values()].toReversed().slice(0, 3);
  if (operation !== null && operation !== undefined) {
    const where = counts.conflicted === 0 ? say`` : say`: ${amount(counts.conflicted, 'file')} in conflict`;
    return [claim(say`Finish or abort the ${operation} in progress${where}.`, repository.statusEvidence, ...markers)];
  }
  return claimIf(say`Resolve the conflict markers that are left in ${amount(markers.length, 'file')}.`, markers);
};

const commitOpenWork: Rule = ({ history: { repository } }) => {
  const { paths: [first] = [], files = 0 } = repository?.uncommitted ?? {};
  if (repository === undefined || first === undefined) return [];
  const secret = repository.status.untracked.find(usuallyHoldsSecrets);
  const keepOut =
    secret === undefined
      ? []
      : [claim(say`Keep ${secret} out of git, with a line in \`.gitignore\`: such files usually hold secrets.`, repository.statusEvidence)];
  if (secret === first && files === 1) return keepOut;
  const begin = files === 1 ? say`${first}` : say`${amount(files, 'file')}, beginning with ${first}`;
  return [
    ...keepOut,
    claim(
      say`Look through the uncommitted work and commit or drop it: ${begin}.`,
      repository.statusEvidence,
      ...repository.uncommitted.evidence.slice(0, 1),
    ),
  ];
};

const attachHead: Rule = ({ history: { repository } }) =>
  repository?.status.detached === true && (repository.status.operation ?? undefined) === undefined
    ? [claim(say`Switch to a branch before committing: commits on a detached HEAD are easily lost.`, repository.statusEvidence)]
    : [];

const unstash: Rule = ({ history: { repository }, now }) => {
  const stashes = repository?.status.stashes ?? 0;
  if (repository === undefined || stashes === 0) return [];
  const { stash } = repository;
  const latest =
    stash === undefined
      ? say``
      : say`: ${quote(subject(stash.message), 100)}${stash.time === undefined ? say`` : say`, ${age(now, stash.time)} old`}`;
  return [
    claim(say`Apply or drop ${amount(stashes, 'stash')}${latest}.`, repository.statusEvidence, ...(stash === undefined ? [] : [stash.evidence])),
  ];
};

const HINT_ADVICE = {
  'work-in-progress': say`Go on where a commit says that work is in progress`,
  revert: say`Find out why this was taken back, and whether it needs another try`,
  'failing-ci': say`Check that the build and CI pass, which this commit was to repair`,
  broken: say`Check what this commit says is broken or temporary`,
} as const satisfies Record<CommitHint, unknown>;

const followHints: Rule = ({ history: { repository } }) =>
  (repository?.recent?.commits ?? [])
    .slice(0, HINTING_COMMITS)
    .flatMap(({ message, evidence }) => {
      const hint = commitHint(message);
      return hint === undefined ? [] : [claim(say`${HINT_ADVICE[hint]}: ${quote(subject(message), 100)}.`, evidence)];
    })
    .slice(0, 2);

const runTests: Rule = ({ metadata }) =>
  metadata.manifests
    .flatMap((manifest) => {
      const command = manifest.facts.commands.find(({ purpose }) => purpose === 'test');
      return command === undefined
        ? []
        : [claim(say`Run ${quote(command.value, 80)}${inFolderOf(manifest)} to see what still works.`, manifest.at(command))];
    })
    .slice(0, 1);

const openItems: Rule = ({ devlogs }) =>
  // Up to two of each log, so that a long to-do list does not hide the plans elsewhere.
  devlogs.flatMap(({ open }) => open.slice(0, 2).map(({ text, evidence }) => claim(say`Planned: ${quote(text)}`, evidence))).slice(0, 4);

const mergeBranches: Rule = ({ history: { repository }, now }) =>
  // In the middle of a rebase the branch that is being moved is not the current one.
  ((repository?.status.operation ?? undefined) === undefined ? (repository?.references.unmerged ?? []) : [])
    .map(({ name, commits, latest }) => {
      const when = latest.time === undefined ? say`` : say`, ${age(now, latest.time)} ago`;
      return claim(
        say`Merge or drop branch ${name}: ${amount(commits, 'commit')} not in the current one, the last ${quote(subject(latest.message), 80)}${when}.`,
        latest.evidence,
      );
    })
    .slice(0, 2);

const synchronize: Rule = ({ history: { repository } }) => {
  if (repository === undefined) return [];
  const { ahead, behind, upstream } = repository.status;
  if (upstream === null || upstream === undefined) return [];
  return [
    ...((behind ?? 0) > 0 ? [claim(say`Take in ${amount(behind ?? 0, 'commit')} from ${upstream}.`, repository.statusEvidence)] : []),
    ...((ahead ?? 0) > 0 ? [claim(say`Push ${amount(ahead ?? 0, 'commit')} to ${upstream}.`, repository.statusEvidence)] : []),
  ];
};

const fetchHistory: Rule = ({ history: { repository } }) => {
  const { recent } = repository ?? {};
  if (recent?.shallow !== true || recent.more) return [];
  return [claim(say`Fetch the rest of the history with \`git fetch --unshallow\`: this clone is shallow.`, recent.evidence)];
};

const dealWithNotes: Rule = ({ history: { leftovers } }) =>
  leftovers
    .filter(({ kind }) => kind === 'note')
    .slice(0, 3)
    .map(({ path, text, evidence }) => claim(say`Deal with the note in ${path}: ${quote(text, 120)}`, evidence));

const begin: Rule = ({ structure, history: { repository, noRepository, unreadable } }) => {
  if (unreadable !== undefined)
    return [claim(say`Find out why git cannot read the repository: \`git status\` in a terminal tells.`, unreadable.evidence)];
  if (noRepository !== undefined) {
    if (structure.isBare) return claimIf(say`Clone it with \`git clone\`, and look at the clone.`, structure.evidence ?? []);
    const unless = say`unless a folder above it is a repository: those were not looked at`;
    return [claim(say`Put the folder under version control with \`git init\`, so that changes can be taken back, ${unless}.`, noRepository)];
  }
  const { recent } = repository ?? {};
  if (recent === undefined) return [];
  const latest = recent.commits.find(({ message, author }) => !isMerge(message) && !isByBot(author)) ?? recent.commits[0];
  return latest === undefined
    ? [claim(say`Make the first commit.`, recent.evidence)]
    : [claim(say`Pick up after the last commit: ${quote(subject(latest.message), 100)}.`, latest.evidence)];
};

/** In the order of priority: what may get lost, what was left broken, what was planned, what would be nice. */
const RULES: readonly Rule[] = [
  finishOperation,
  attachHead,
  commitOpenWork,
  unstash,
  followHints,
  runTests,
  openItems,
  mergeBranches,
  synchronize,
  fetchHistory,
  dealWithNotes,
];

/** With fewer steps than this, the end of the history is a hint as well. */
const FEW_STEPS = 3;

/** What to do next, the most pressing first. */
export function nextSteps(findings: Findings): Claim[] {
  const steps = RULES.flatMap((rule) => rule(findings)).slice(0, MAXIMUM_STEPS);
  return steps.length < FEW_STEPS ? [...steps, ...begin(findings)] : steps;
}
