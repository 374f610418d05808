import { claim, claimIf, type Claim } from '../evidence/claim.ts';
import { compareVersions, versionOf } from '../devlog/change-log.ts';
import { age, amount, quote, say, type SafeText } from '../evidence/safe-text.ts';
import { commitHint, subject, type CommitHint } from '../history/commit-hints.ts';
import type { Repository } from '../history/analyze-git.ts';
import type { SeenCommit } from '../history/commits.ts';
import type { Extent } from '../history/read-references.ts';
import { changedSubmodules } from '../history/submodules.ts';
import { usuallyHoldsSecrets } from '../history/secret-files.ts';
import { inFolderOf, type Manifest } from '../metadata/read-metadata.ts';
import type { Findings } from './findings.ts';
import { currentPlans, oldPlans } from './plans.ts';
import {
  dealWithNotes,
  fetchSubmodules,
  finishRefactoring,
  fixFailedTests,
  goThroughNotes,
  placeRejects,
  reviveTests,
  settleSubmodules,
} from './open-work.ts';

/** Finds next steps of one kind. */
type Rule = (findings: Findings) => readonly Claim[];

/** Maximum number of steps. A longer list does not help to resume a project. */
const MAXIMUM_STEPS = 10;
/** Number of newest commits to search for hints of unfinished work. Older hints are usually resolved. */
const HINTING_COMMITS = 4;

const finishOperation: Rule = ({ history: { repository, unfinished } }) => {
  if (repository === undefined) return [];
  const { rebased, status } = repository;
  const { operation, counts } = status;
  const conflicts = unfinished.leftovers.filter(({ kind }) => kind === 'conflict');
  // The first marker of each file.
  const markers = [...new Map(conflicts.toReversed().map((each) => [each.path, each.evidence])).values()].toReversed().slice(0, 3);
  if (operation !== null && operation !== undefined) {
    const where = counts.conflicted === 0 ? say`` : say`: ${amount(counts.conflicted, 'file')} in conflict`;
    const what = rebased === undefined ? say`` : say` of branch ${rebased.branch}`;
    return [claim(say`Finish or abort the ${operation}${what} in progress${where}.`, repository.statusEvidence, ...markers)];
  }
  return claimIf(say`Resolve the conflict markers that are left in ${amount(markers.length, 'file')}.`, markers);
};

/** Whether another step covers all uncommitted files: an operation in progress, or rejected hunks. */
function isExplained({ status, uncommitted }: Repository): boolean {
  const { operation, counts } = status;
  if (uncommitted.paths.every((path) => path.endsWith('.rej'))) return true;
  return (operation ?? 'bisect') !== 'bisect' && counts.unstaged + counts.untracked === 0;
}

const commitOpenWork: Rule = ({ history: { repository } }) => {
  if (repository === undefined || isExplained(repository)) return [];
  const { paths, files: all, patches } = repository.uncommitted;
  // Submodules have steps of their own.
  const submodules = new Set(changedSubmodules(patches).map(({ path }) => path));
  const first = paths.find((path) => !submodules.has(path));
  const files = all - submodules.size;
  if (first === undefined) return [];
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

const attachHead: Rule = ({ history: { repository } }) => {
  if (repository?.status.detached !== true || (repository.status.operation ?? undefined) !== undefined) return [];
  const { main } = repository.references;
  if (main === undefined || main.ahead.commits === 0) {
    const beyond = main === undefined || main.behind.commits === 0 ? say`` : say`: ${main.name} has ${atLeast(main.behind)} more`;
    return [
      claim(
        say`Switch to a branch before committing, because commits on a detached HEAD are easily lost${beyond}.`,
        repository.statusEvidence,
        ...(main === undefined ? [] : [main.evidence]),
      ),
    ];
  }
  return [
    claim(
      say`Put the ${atLeast(main.ahead)} of the detached HEAD that ${main.name} does not have on a branch, so that nothing gets lost.`,
      repository.statusEvidence,
      main.evidence,
    ),
  ];
};

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

/** Formats a number of commits; with `more` as a lower bound. */
function atLeast({ commits, more }: Extent): SafeText {
  return more ? say`${commits} or more commits` : amount(commits, 'commit');
}

const HINT_ADVICE = {
  'work-in-progress': say`Go on where a commit says that work is in progress`,
  revert: say`Find out why this was taken back, and whether it needs another try`,
  'failing-ci': say`Check that the build and CI pass, which this commit was to repair`,
  broken: say`Check what this commit says is broken or temporary`,
} as const satisfies Record<CommitHint, unknown>;

const followHints: Rule = ({ history: { repository } }) =>
  (repository?.work ?? [])
    .slice(0, HINTING_COMMITS)
    .flatMap(({ message, evidence }, index) => {
      const hint = commitHint(message);
      // Later commits came after the CI fix and went through CI.
      return hint === undefined || (hint === 'failing-ci' && index > 0)
        ? []
        : [claim(say`${HINT_ADVICE[hint]}: ${quote(subject(message), 100)}.`, evidence)];
    })
    .slice(0, 2);

/** Names a prerequisite of a command that is missing. */
function before({ path, facts }: Manifest, { structure }: Findings): SafeText {
  if (path === 'Makefile.am' && !structure.topNames.includes('Makefile')) return say`, after it is configured (there is no \`Makefile\` yet)`;
  const needsModules =
    /(?:^|\/)package\.json$/u.test(path) && !path.includes('/') && facts.dependencies.length + (facts.devDependencies?.length ?? 0) > 0;
  return needsModules && !structure.topNames.includes('node_modules')
    ? say`, after its dependencies are installed (there is no \`node_modules\`)`
    : say``;
}

const runTests: Rule = (findings) =>
  findings.metadata.manifests
    .flatMap((manifest) => {
      const command = manifest.facts.commands.find(({ purpose }) => purpose === 'test');
      if (command === undefined) return [];
      const hasTests = findings.structure.partial || findings.structure.traits.some(({ trait }) => trait === 'tests');
      // A toolchain has a test command even without tests. Then it shows at least whether the project builds.
      const why = command.isUsual === true && !hasTests ? say`see whether it builds: no tests were seen` : say`see what still works`;
      return [claim(say`Run ${quote(command.value, 100)}${inFolderOf(manifest)} to ${why}${before(manifest, findings)}.`, manifest.at(command))];
    })
    .slice(0, 1);

const mergeBranches: Rule = ({ history: { repository }, now }) => {
  // During a rebase the branch being rebased is not the current one.
  if (repository === undefined || (repository.status.operation ?? undefined) !== undefined) return [];
  const { main, unmerged } = repository.references;
  const lately = ({ message, time }: SeenCommit): SafeText =>
    say`the last ${quote(subject(message), 80)}${time === undefined ? say`` : say`, ${age(now, time)} ago`}`;
  const here =
    main?.latest === undefined || repository.status.detached
      ? []
      : [
          claim(
            say`Merge ${repository.status.branch ?? 'HEAD'} into ${main.name}, or drop it: ${atLeast(main.ahead)} not in there, ${lately(main.latest)}.`,
            main.latest.evidence,
          ),
        ];
  const takeIn =
    main === undefined || main.behind.commits === 0 || repository.status.detached
      ? []
      : [claim(say`Take in ${atLeast(main.behind)} of ${main.name}.`, main.evidence)];
  const others = unmerged.map(({ name, latest, ...extent }) =>
    claim(say`Merge or drop branch ${name}: ${atLeast(extent)} not in the current one, ${lately(latest)}.`, latest.evidence),
  );
  return [...here, ...others.slice(0, 2), ...takeIn];
};

const synchronize: Rule = ({ history: { repository } }) => {
  if (repository === undefined) return [];
  const { ahead, behind, upstream } = repository.status;
  if (upstream === null || upstream === undefined) return [];
  return [
    ...((behind ?? 0) > 0 ? [claim(say`Take in ${amount(behind ?? 0, 'commit')} from ${upstream}.`, repository.statusEvidence)] : []),
    ...((ahead ?? 0) > 0 ? [claim(say`Push ${amount(ahead ?? 0, 'commit')} to ${upstream}.`, repository.statusEvidence)] : []),
  ];
};

const decideOnQuietPackages: Rule = ({ history: { repository }, now }) =>
  (repository?.quietPackages ?? [])
    .slice(0, 2)
    .map(({ name, folder, last, evidence }) =>
      claim(
        say`Decide whether ${folder} stays: nothing names its package ${name}, and the last work on it is ${age(now, last.time)} old.`,
        ...evidence,
        last.evidence,
      ),
    );

const fetchHistory: Rule = ({ history: { repository } }) => {
  const { recent } = repository ?? {};
  if (recent?.shallow !== true || recent.more) return [];
  return [claim(say`Fetch the rest of the history with \`git fetch --unshallow\`: this clone is shallow.`, recent.evidence)];
};

const release: Rule = ({ devlogs, metadata, history: { repository } }) => {
  const tag = repository?.references.release;
  const pending = devlogs.flatMap(({ path, entry, unreleased }) => {
    const [first] = unreleased;
    const [listed, released] = [entry?.text, tag?.name].map((text) => versionOf(text ?? ''));
    // The tag is newer than the note that the version is unreleased.
    const isReleased = listed !== undefined && released !== undefined && compareVersions(listed, released) <= 0;
    return first === undefined || isReleased
      ? []
      : [
          claim(
            say`Release what ${path} lists as unreleased: ${amount(unreleased.length, 'change')}, the first ${quote(first.text, 100)}.`,
            first.evidence,
          ),
        ];
  });
  const manifest = metadata.manifests.find(({ facts }) => facts.version !== undefined);
  const version = manifest?.facts.version;
  if (tag === undefined || manifest === undefined || version === undefined || /[a-z-]/iu.test(version.value)) return pending.slice(0, 1);
  const [written, tagged] = [version.value, tag.name].map(versionOf);
  const isAhead = written !== undefined && tagged !== undefined && compareVersions(written, tagged) > 0;
  const untagged = isAhead
    ? [
        claim(
          say`Finish the release of ${version.value}: ${manifest.path} has that version, and the highest release tag is ${tag.name}.`,
          manifest.at(version),
          tag.evidence,
        ),
      ]
    : [];
  return [...untagged, ...pending].slice(0, 2);
};

const begin: Rule = ({ structure, history: { repository, noRepository, unreadable, inner } }) => {
  if (unreadable !== undefined)
    return [claim(say`Find out why git cannot read the repository: \`git status\` in a terminal shows the reason.`, unreadable.evidence)];
  if (noRepository !== undefined) {
    if (structure.isBare) return claimIf(say`Clone it with \`git clone\`, and look at the clone.`, structure.evidence ?? []);
    const [first] = inner.folders;
    if (first !== undefined)
      return [
        claim(
          say`Look at one of the repositories in it, such as ${`${first.folder}/`}: a report reads the history of one repository.`,
          first.evidence,
        ),
      ];
    const unless = say`unless a folder above it is a repository: those were not looked at`;
    return [claim(say`Put the folder under version control with \`git init\`, so that changes can be taken back, ${unless}.`, noRepository)];
  }
  const { recent } = repository ?? {};
  return recent === undefined || recent.commits.length > 0 ? [] : [claim(say`Make the first commit.`, recent.evidence)];
};

/** In order of priority: risk of loss, broken or unfinished work, plans, improvements. */
const RULES: readonly Rule[] = [
  finishOperation,
  attachHead,
  commitOpenWork,
  settleSubmodules,
  unstash,
  fixFailedTests,
  finishRefactoring,
  reviveTests,
  placeRejects,
  followHints,
  currentPlans,
  mergeBranches,
  dealWithNotes,
  synchronize,
  release,
  decideOnQuietPackages,
  fetchSubmodules,
  fetchHistory,
  begin,
  oldPlans,
  runTests,
  goThroughNotes,
];

/** Returns the next steps, most urgent first. */
export function nextSteps(findings: Findings): Claim[] {
  return RULES.flatMap((rule) => rule(findings)).slice(0, MAXIMUM_STEPS);
}
