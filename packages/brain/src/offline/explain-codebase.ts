import type { Hands } from '@synapse/hands';
import { EXPLAIN_CODEBASE } from '../protocols/built-in-protocols.ts';
import { claim, claimIf, type Claim } from '../resurrect/evidence/claim.ts';
import { atLine } from '../resurrect/evidence/evidence.ts';
import { amount, join, quote, say } from '../resurrect/evidence/safe-text.ts';
import { analyzeGit } from '../resurrect/history/analyze-git.ts';
import { localImports } from '../resurrect/history/local-imports.ts';
import { isAside, isTest } from '../resurrect/history/path-kinds.ts';
import { readMetadata } from '../resurrect/metadata/read-metadata.ts';
import type { Ask } from '../resurrect/call-log.ts';
import { openSteps, type OfflineOptions, type OfflineReport } from '../resurrect/run-steps.ts';
import { discoverStructure, type Structure } from '../resurrect/structure/discover-structure.ts';
import { countLanguages } from '../resurrect/structure/languages.ts';
import { judge } from '../resurrect/synthesis/confidence.ts';
import type { Findings } from '../resurrect/synthesis/findings.ts';
import { lastActiveArea } from '../resurrect/synthesis/last-active-area.ts';
import { projectFacts } from '../resurrect/synthesis/project-facts.ts';
import { attributionOf } from '../resurrect/synthesis/synthesize.ts';
import { writeReport } from '../resurrect/synthesis/write-report.ts';
import { findEntries, type Entry } from './entry-points.ts';
import { usageOf } from './test-files.ts';

const SHOWN_PARTS = 8;
const SHOWN_ENTRIES = 4;
/** Maximum number of imports to follow from an entry point. */
const LONGEST_WAY = 6;

function parts({ structure }: Findings): Claim[] {
  const { evidence } = structure;
  if (evidence === undefined) return [];
  const folders = structure.rootFolders
    .map((folder) => ({ folder, files: structure.paths.filter((path) => path.startsWith(`${folder}/`)) }))
    .filter(({ folder, files }) => files.length > 0 && !folder.startsWith('.'))
    .toSorted((a, b) => b.files.length - a.files.length);
  return folders.slice(0, SHOWN_PARTS).flatMap(({ folder, files }) => {
    const [language] = countLanguages(files);
    const inner = new Set(
      files.flatMap((path) => (path.includes('/', folder.length + 1) ? [path.slice(0, path.indexOf('/', folder.length + 1) + 1)] : [])),
    );
    const within =
      inner.size === 0
        ? say``
        : say`; in it ${join(
            [...inner]
              .sort()
              .slice(0, 5)
              .map((path) => quote(path)),
          )}`;
    // If not every file was listed, the number is a lower bound.
    const least = structure.partial ? say`at least ` : say``;
    return claimIf(
      say`${quote(`${folder}/`)}: ${least}${amount(files.length, 'file')}${language === undefined ? say`` : say`, most of the code ${quote(language.language)}`}${within}.`,
      evidence.slice(-1),
    );
  });
}

/** Follows the first local import of each file, starting at an entry point. */
async function followImports(ask: Ask, entry: Entry, known: ReadonlySet<string>): Promise<Claim[]> {
  const seen = new Set([entry.path]);
  const way: Claim[] = [];
  let at: string | undefined = entry.path;
  while (at !== undefined && way.length < LONGEST_WAY) {
    const path: string = at;
    const answer = await ask('read_file', { path });
    if (!answer.ok) break;
    const imports = localImports(path, answer.data.content).flatMap(({ candidates, line }) => {
      const target = candidates.find((candidate) => known.has(candidate) && !seen.has(candidate));
      return target === undefined ? [] : [{ target, line }];
    });
    const [next] = imports;
    if (next === undefined) break;
    const more = imports.length > 1 ? say` and ${amount(imports.length - 1, 'other file')}` : say``;
    way.push(claim(say`${path} imports ${next.target}${more}.`, atLine(answer, path, next.line)));
    seen.add(next.target);
    at = next.target;
  }
  return way;
}

/** Returns the source file that most of the recent changes touched, of those that are neither tests nor documents. */
function mostChanged({ history, structure }: Findings) {
  const main = familyOfLanguage(structure);
  const files = history.areas.flatMap((area) => area.files.map((file) => ({ ...file, evidence: area.evidence.slice(0, 1) })));
  const [most] = files
    .filter(({ path, changes }) => changes > 1 && main(path) && !isTest(path) && !isAside(path))
    .toSorted((a, b) => b.changes - a.changes);
  return most;
}

/** Returns a test for files of the main language. */
function familyOfLanguage({ languages }: Structure): (path: string) => boolean {
  const [main] = languages;
  return (path) => countLanguages([path])[0]?.language === main?.language;
}

/** A file that shows how the project is used, if it is not named anyway. */
function usageClaims(usage: string | undefined, named: ReadonlyArray<string | undefined>, { evidence }: Findings['structure']): readonly Claim[] {
  if (usage === undefined || named.includes(usage)) return [];
  return claimIf(say`${usage}, which shows how it is used.`, evidence?.slice(-1) ?? []);
}

function whereToBegin(findings: Findings, entries: readonly Entry[]): Claim[] {
  const { metadata, structure } = findings;
  const [entry] = entries;
  const names = metadata.manifests.flatMap(({ facts }) => facts.name?.value.split('/').at(-1)?.toLowerCase() ?? []);
  const usage = usageOf(structure.paths, names);
  const most = mostChanged(findings);
  const changes = amount(most?.changes ?? 0, 'change');
  // A file is named once, with all that is known of it.
  const isBusy = most !== undefined && most.path === entry?.path;
  const busy = isBusy ? say` and changed most often of late (${changes})` : say``;
  return [
    ...(metadata.readme === undefined ? [] : [claim(say`The README, which says what it is for.`, metadata.readme.evidence)]),
    ...(entry === undefined ? [] : [claim(say`${entry.path}, which ${entry.why}${busy}.`, entry.evidence, ...(isBusy ? most.evidence : []))]),
    ...(most === undefined || isBusy ? [] : claimIf(say`${most.path}, which changed most often of late (${changes}).`, most.evidence)),
    ...usageClaims(usage, [entry?.path, most?.path], structure),
  ];
}

/** Explains a codebase without a model: its parts, entry points, an import path and the most changed files. */
export async function explainCodebase(hands: Hands, options: OfflineOptions = {}): Promise<OfflineReport> {
  const run = openSteps(hands, EXPLAIN_CODEBASE, options);
  const { structure, metadata } = await run.step('step-01-find-the-parts', async (ask) => {
    const found = await discoverStructure(ask, (options.folder ?? '') !== '');
    return { structure: found, metadata: await readMetadata(ask, found) };
  });
  const entries = await run.step('step-02-find-the-entry-points', (ask) => findEntries(ask, structure, metadata, SHOWN_ENTRIES));
  const ways = await run.step('step-03-follow-one-path', async (ask) => {
    const known = new Set(structure.paths);
    const all = await Promise.all(entries.map((entry) => followImports(ask, entry, known)));
    // The longest path explains the most.
    return all.toSorted((a, b) => b.length - a.length)[0] ?? [];
  });
  const history = await run.step('step-04-read-the-history', (ask) => analyzeGit(ask, structure));
  const findings: Findings = { structure, metadata, history, devlogs: [], now: Date.now() };
  return await run.step('step-05-explain', () => {
    const { confidence, reasons } = judge(findings, run.callLog.unseen, run.complete());
    const attribution = attributionOf(run.callLog, confidence);
    const begins = entries.map(({ path, why, evidence }) => claim(say`${path} ${why}.`, evidence));
    const report = writeReport({
      attribution,
      sections: [
        { title: 'What It Is', claims: projectFacts(findings), empty: 'No evidence found.' },
        { title: 'Parts', claims: [...parts(findings), ...lastActiveArea(findings).slice(0, 2)], empty: 'No folders.' },
        { title: 'One Request from Start to End', claims: [...begins, ...ways], empty: 'No entry point was found.' },
        { title: 'Where to Begin Reading', claims: whereToBegin(findings, entries), isRanked: true, empty: 'No evidence found.' },
      ],
      doubts: [...reasons, say`no model read the code: the path follows its imports`],
      complete: run.complete(),
    });
    return { report, attribution, steps: run.steps, complete: run.complete() };
  });
}
