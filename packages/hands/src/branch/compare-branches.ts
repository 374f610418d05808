import { isGitData } from '../danger/git-data.ts';
import { DryRunContents } from '../dry-run/dry-run-contents.ts';
import { showEffect, type ShownEffect } from '../dry-run/show-effect.ts';
import type { TransactionParts } from '../transaction/apply-changes.ts';
import { foldChanges } from '../transaction/fold-changes.ts';
import { openViews } from '../transaction/overlay-view.ts';
import { ListedSteps } from '../transaction/show-changes.ts';
import { showRepositories } from '../transaction/show-repositories.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { Capture } from '../workspace/changes/capture.ts';
import { loadPath, type SetStep } from '../workspace/changes/step.ts';
import { openBranch } from './apply-branch.ts';
import { between, onTop, type BranchSide, type LayerEntry } from './branch-side.ts';
import type { StoredBranch } from './branch-store.ts';
import { entryOf } from './layer-entry.ts';

/** Maximum number of entries of one branch that are compared. */
const MAX_COMPARED = 5_000;

const NOTHING: BranchSide = { steps: [], unlisted: [], repositories: [] };

/** What comparing shares between the two branches. */
interface Comparing {
  readonly parts: TransactionParts;
  readonly contents: DryRunContents;
  readonly signal: AbortSignal;
}

/** Compares two branches, each with those that it is based on, the nearest first: what would have to change in one to get the other. */
export async function compareBranches(
  parts: TransactionParts,
  from: readonly StoredBranch[],
  to: readonly StoredBranch[],
  signal: AbortSignal,
): Promise<ShownEffect> {
  const contents = new DryRunContents(() => undefined);
  const [old, now] = [await readSide(from, { parts, contents, signal }), await readSide(to, { parts, contents, signal })];
  const { steps, unlisted } = between(old, now);
  const omitted = unlisted.map(({ path, reason }) => ({ path, reason: `not compared: ${reason}` }));
  const effect = { steps, omitted, cautions: [], tooLarge: [], blocked: undefined };
  const { guards, journal } = parts;
  const shown = await showEffect(effect, { ...parts.powers(), blobs: contents, capture: new Capture(contents, journal.limits) }, guards.read, true);
  const isSame = old.repositories.join('\n') === now.repositories.join('\n');
  const named = (chain: readonly StoredBranch[], { repositories }: BranchSide): string[] =>
    repositories.map((line) => `${chain[0]?.record.name ?? ''}: ${line}`);
  return { ...shown, repositories: isSame ? [] : [...named(from, old), ...named(to, now)] };
}

/** Reads a branch as changes of the workspace, with what it has of the branches that it is based on. */
async function readSide(chain: readonly StoredBranch[], comparing: Comparing): Promise<BranchSide> {
  const reading = { attributes: comparing.parts.attributes, signal: comparing.signal };
  let side = NOTHING;
  for (const stored of chain.toReversed()) {
    const own = await readLayer(stored, comparing);
    const seen = new Map<SetStep, LayerEntry>();
    for (const step of side.steps) seen.set(step, await entryOf(stored.folder.upper, loadPath(step.path), reading));
    side = onTop(side, own, (step) => seen.get(step) ?? 'nothing');
  }
  return side;
}

async function readLayer(stored: StoredBranch, { parts, contents, signal }: Comparing): Promise<BranchSide> {
  const { area, read } = await openBranch(parts, stored);
  using views = openViews(parts.confinement, area, read);
  const files = read.changes.filter(({ path }) => !isGitData(path.toLowerCase()));
  const { listed, folded } = await foldChanges(files, { area, read, views, ignored: parts.ignored, signal });
  const list = new ListedSteps(views, area, listed.length, { max: MAX_COMPARED, contents });
  const tooMany = listed.filter((change) => list.add(change) > 0);
  const { lines } = await showRepositories(views, area, read, signal);
  return {
    steps: list.steps,
    unlisted: [
      ...tooMany.map(({ location }) => ({ path: displayPath(location), reason: 'it has too many changes' })),
      ...folded.map(({ path }) => ({ path, reason: 'what is in it is only counted' })),
      ...read.withheld.map(({ location, detail }) => ({ path: displayPath(location), reason: detail })),
    ],
    repositories: lines,
  };
}
