import type { Hands } from '@synapse/hands';
import { REVIEW_CHANGES } from '../protocols/built-in-protocols.ts';
import { claim, claimIf, type Claim } from '../resurrect/evidence/claim.ts';
import { receiptClaims } from '../resurrect/evidence/receipt-claims.ts';
import { amount, join, quote, say } from '../resurrect/evidence/safe-text.ts';
import { analyzeGit, type History } from '../resurrect/history/analyze-git.ts';
import { isProse, isTest } from '../resurrect/history/path-kinds.ts';
import { usuallyHoldsSecrets } from '../resurrect/history/secret-files.ts';
import { NO_METADATA } from '../resurrect/metadata/read-metadata.ts';
import { openSteps, type OfflineOptions, type OfflineReport } from '../resurrect/run-steps.ts';
import { discoverStructure } from '../resurrect/structure/discover-structure.ts';
import { judge } from '../resurrect/synthesis/confidence.ts';
import type { Findings } from '../resurrect/synthesis/findings.ts';
import { dealWithNotes, finishRefactoring, fixFailedTests, reviveTests } from '../resurrect/synthesis/open-work.ts';
import { attributionOf } from '../resurrect/synthesis/synthesize.ts';
import { uncommittedWork } from '../resurrect/synthesis/work-state.ts';
import { writeReport } from '../resurrect/synthesis/write-report.ts';
import { testsOf } from './test-files.ts';
import { isUnimplemented, stopsOnLoad } from './unimplemented.ts';

/** Maximum number of files to name. */
const SHOWN_FILES = 10;
/** Matches added lines that look like debugging. */
const DEBUGGING =
  /^\s*(?:console\.(?:log|debug)\(|debugger\b|dbg!\(|print\(\s*f?["'](?:debug|here|xxx)|import pdb|breakpoint\(\)|binding\.(?:pry|irb)\b|var_dump\(|fmt\.Println\(\s*"(?:debug|here))/iu;

function summary({ history, structure }: Findings): Claim[] {
  const { repository, noRepository } = history;
  if (repository === undefined)
    return claimIf(say`Not a git repository: there are no changes to review.`, noRepository === undefined ? [] : [noRepository]);
  const files = repository.uncommitted.patches.flatMap(({ files, evidence }) => files.map((file) => ({ ...file, evidence })));
  return [
    uncommittedWork(repository, structure.hasSubmodules),
    ...files
      .toSorted((a, b) => b.added.length + b.removed.length - a.added.length - a.removed.length)
      .slice(0, SHOWN_FILES)
      .map(({ path, added, removed, evidence }) => claim(say`${path}: +${added.length} -${removed.length} lines.`, evidence)),
    ...(repository.status.untracked.length === 0
      ? []
      : [
          claim(
            say`Not tracked yet: ${join(repository.status.untracked.slice(0, SHOWN_FILES).map((path) => quote(path)))}.`,
            repository.statusEvidence,
          ),
        ]),
  ];
}

function risks(findings: Findings): Claim[] {
  const { repository, unfinished } = findings.history;
  if (repository === undefined || repository.uncommitted.paths.length === 0) return [];
  const { status, statusEvidence, uncommitted } = repository;
  const conflicts = unfinished.leftovers.filter(({ kind }) => kind === 'conflict');
  const secrets = uncommitted.paths.filter(usuallyHoldsSecrets);
  const debugging = uncommitted.patches.flatMap(({ files, evidence }) =>
    files.flatMap(({ path, added }) => {
      const line = isTest(path) ? undefined : added.find((each) => DEBUGGING.test(each));
      return line === undefined ? [] : [claim(say`${path} gains a line that looks like debugging: ${quote(line.trim(), 80)}.`, evidence)];
    }),
  );
  const unimplemented = uncommitted.patches.flatMap(({ files, evidence }) =>
    files.flatMap(({ path, added }) => {
      if (isTest(path) || isProse(path)) return [];
      // Found in the code under review: such a line is the finding, and says so in the words of that code.
      const stop = added.find((line) => stopsOnLoad(line, path));
      const missing = added.find((line) => isUnimplemented(line, path));
      return [
        ...(stop === undefined
          ? []
          : [claim(say`${path} gains a line that stops the program when the file is loaded: ${quote(stop, 80)}.`, evidence)]),
        ...(missing === undefined || missing === stop
          ? []
          : [claim(say`${path} gains a line that says that something is not implemented: ${quote(missing.trim(), 80)}.`, evidence)]),
      ];
    }),
  );
  const manifests = uncommitted.paths.filter((path) => path.endsWith('package.json'));
  const lock = findings.structure.rootFiles.find((path) => /^(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/u.test(path));
  const isLockOld = manifests.length > 0 && lock !== undefined && !uncommitted.paths.includes(lock);
  return [
    ...conflicts.slice(0, 3).map(({ path, evidence }) => claim(say`${path} has conflict markers.`, evidence)),
    ...secrets.slice(0, 3).map((path) => claim(say`${path} usually holds secrets.`, statusEvidence)),
    ...finishRefactoring(findings),
    ...reviveTests(findings),
    ...fixFailedTests(findings),
    ...unimplemented.slice(0, 4),
    ...debugging.slice(0, 3),
    ...(isLockOld ? [claim(say`${manifests[0] ?? ''} changed and ${lock} did not: check that it still fits.`, statusEvidence)] : []),
    ...(status.counts.staged > 0 && status.counts.unstaged > 0
      ? [claim(say`Some changes are staged and others not: a commit now takes ${amount(status.counts.staged, 'file')}.`, statusEvidence)]
      : []),
    ...dealWithNotes(findings),
  ];
}

function missingTests({ history, structure }: Findings): Claim[] {
  const { repository } = history;
  if (repository === undefined || structure.evidence === undefined || structure.partial) return [];
  const { paths } = repository.uncommitted;
  const code = paths.filter((path) => !isTest(path) && !isProse(path) && /\.\w+$/u.test(path) && structure.languages.length > 0);
  const evidence = [repository.statusEvidence, ...structure.evidence.slice(-1)] as const;
  return code.slice(0, SHOWN_FILES).flatMap((path) => {
    const tests = testsOf(path, structure.paths);
    const [first] = tests;
    if (tests.some((test) => paths.includes(test))) return [];
    return first === undefined
      ? [claim(say`${path} changed, and no test is named after it.`, ...evidence)]
      : [claim(say`${path} changed, and its test ${first} did not.`, ...evidence)];
  });
}

/** Reviews uncommitted changes without a model: what changed, what is unfinished, and which tests did not change. */
export async function reviewChanges(hands: Hands, options: OfflineOptions = {}): Promise<OfflineReport> {
  const run = openSteps(hands, REVIEW_CHANGES, options);
  const structure = await run.step('step-01-list-changes', (ask) => discoverStructure(ask, (options.folder ?? '') !== ''));
  const history: History = await run.step('step-02-read-the-diff', (ask) => analyzeGit(ask, structure));
  const findings: Findings = { structure, metadata: NO_METADATA, history, devlogs: [], now: Date.now() };
  return await run.step('step-05-write-the-review', async () => {
    const checked = await receiptClaims(hands);
    const { confidence } = judge({ ...findings, metadata: { ...NO_METADATA, hasReadme: true } }, run.callLog.unseen, run.complete());
    const attribution = attributionOf(run.callLog, confidence);
    const report = writeReport({
      attribution,
      sections: [
        { title: 'Summary', claims: [...summary(findings), ...checked], empty: 'Nothing is uncommitted.' },
        { title: 'Risks', claims: risks(findings), isRanked: true, empty: 'None was found by looking: this review ran no tests.' },
        { title: 'Missing Tests', claims: missingTests(findings), empty: 'None was found by names.' },
      ],
      doubts: [say`no model judged what the changes are for, and this review ran no tests`],
      complete: run.complete(),
    });
    return { report, attribution, steps: run.steps, complete: run.complete() };
  });
}
