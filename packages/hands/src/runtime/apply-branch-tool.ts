import { isSynapseError, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { AppliedParts, BranchParts } from '../branch/apply-branch.ts';
import { BranchConflict, describeConflict, outsideHeld } from '../branch/branch-conflict.ts';
import type { BranchStore } from '../branch/branch-store.ts';
import type { HunkChoice } from '../branch/hunk-rulings.ts';
import { whileUnused } from '../branch/while-unused.ts';
import type { JournalDatabase } from '../journal/journal-database.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import { placesOf } from '../workspace/changes/step.ts';
import { systemRefusal } from '../workspace/file-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Runtime } from './runtime.ts';

/** A part of what was changed in a branch. */
export interface BranchPart {
  /** Only these entries, and what is in them. Default: all */
  readonly paths?: readonly string[];
  /** Only these hunks of some text files, of which the rest stays in the branch. */
  readonly hunks?: readonly HunkChoice[];
}

/** What of a branch is applied. */
export interface AppliedPart extends BranchPart {
  /** The {@link ShownBranch.fingerprint} of what was shown: if the branch changed since, nothing is applied. Default: it is applied as it is. */
  readonly fingerprint?: string;
}

const Hunks = z.strictObject({ path: z.string(), take: z.array(z.int().min(1)).min(1), seen: z.array(z.string()).exactOptional() });

type Part = { readonly [Field in keyof AppliedPart]: AppliedPart[Field] | undefined };

/** The part as arguments of a call. */
export const partInput = ({ paths, hunks = [], fingerprint }: Part): Record<string, unknown> => ({
  ...(paths === undefined ? {} : { paths: [...paths] }),
  ...(hunks.length === 0 ? {} : { hunks: hunks.map((one) => ({ ...one })) }),
  ...(fingerprint === undefined ? {} : { fingerprint }),
});

/** Which branch is applied, and by which call. */
interface Applying {
  readonly name: string;
  readonly paths?: BranchPart['paths'] | undefined;
  readonly hunks?: BranchPart['hunks'] | undefined;
  readonly fingerprint?: string | undefined;
  /** Whether the branch is one of the call itself, and ends with it. */
  readonly isOwn?: boolean;
  /** The workspace as the call sees it, in whose journal the changes are. */
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** Applies a branch, as a change of a call. */
export async function applyStored(
  runtime: Runtime,
  store: BranchStore,
  { name, isOwn = false, workspace, signal, ...part }: Applying,
): Promise<AppliedParts> {
  const stored = store.get(name);
  const { applyBranch } = await import('../branch/apply-branch.ts');
  const { finishApply } = await import('../branch/finish-apply.ts');
  const { keepingWriters } = await import('../blame/keep-writers.ts');
  const database = (): JournalDatabase => runtime.powers.journal.database;
  const parts = keepingWriters(runtime.commands.pendingParts(workspace, signal), { stored, log: store.logOf(stored), isOwn, database });
  return await toldOfSystem(
    parts.alone(async () => {
      const above = store.basedOn(stored);
      return await whileUnused(runtime.powers.locks, [stored, ...above], signal, async () => {
        await finishApply(parts, stored);
        store.assertFirst(name);
        return await applyBranch({ ...parts, undone: undoneIn(runtime), shown: await shownIn(runtime), above }, stored, part);
      });
    }),
  );
}

/** Says why the system refused to change the workspace, such as a read-only mount. Nothing was applied then, and the branch is as it was. */
async function toldOfSystem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refusal = isSynapseError(error) ? undefined : systemRefusal(error);
    if (refusal === undefined) throw error;
    throw new SynapseError('unavailable', refusal, { cause: error });
  }
}

/** Applies a branch. A tool, so that the change is recorded and journaled; not offered to models, because a person decides. */
export function applyTool(runtime: Runtime, store: BranchStore) {
  return defineTool({
    name: 'apply_branch',
    title: 'Apply a branch',
    description: 'Apply what was changed in a branch to the workspace.',
    effects: 'write',
    destructive: true,
    input: z.strictObject({
      name: z.string(),
      paths: z.array(z.string()).min(1).optional(),
      fingerprint: z.string().optional(),
      hunks: z.array(Hunks).min(1).optional(),
    }),
    output: z.strictObject({
      applied: z.int(),
      merged: z.array(z.string()),
      conflicts: z.array(BranchConflict),
      commits: z.array(z.strictObject({ repository: z.string(), ref: z.string(), commit: z.string() })),
      left: z.int(),
      undo: z.union([z.literal(true), z.string()]),
    }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ name }, { applied }) => `apply_branch(${name}) → ${count(applied, 'change')}`,
    async execute({ name, paths, hunks, fingerprint }, { workspace, signal }) {
      const done = await applyStored(runtime, store, { name, paths, hunks, fingerprint, workspace, signal });
      const { applied, left, undo, merged, conflicts, commits } = done;
      return {
        data: { applied, left, undo, merged: [...merged], conflicts: [...conflicts], commits: [...commits] },
        content: describe(name, done),
      };
    },
  });
}

/** Finds what was undone across a time. */
export const undoneIn =
  ({ powers: { journal } }: Runtime): BranchParts['undone'] =>
  (since) =>
    journal.database.undoneAcross(since).flatMap(({ steps }) => steps.flatMap(placesOf));

/** The text of a hunk as {@link Branches.showBranch} of the hands shows it. */
export async function shownIn({ secretMask }: Runtime): Promise<NonNullable<BranchParts['shown']>> {
  const mask = await secretMask();
  return (text) => mask?.text(text) ?? text;
}

function describe(name: string, done: AppliedParts): string {
  const { applied, merged, conflicts, held, commits, leftInRepositories: ofGit, undo } = done;
  const left = done.left - ofGit;
  const resolvable = outsideHeld(
    conflicts,
    held.map((repository) => ({ repository })),
  );
  // All commits are in a branch of git.
  const isRest = commits.length > 0 && left + resolvable.length === 0;
  return [
    `${count(applied, 'change')} applied.`,
    ...merged.map((path) => `Merged: ${path}`),
    ...held.map(
      (repository) =>
        `Not applied: ${repository}, because something else changed it, or because other files stay in the branch. Both versions are kept.`,
    ),
    ...resolvable.map((conflict) => `Not applied: ${describeConflict(conflict)}. Both versions are kept.`),
    ...[...Map.groupBy(commits, ({ repository }) => repository)].map(
      ([repository, some]) =>
        `The commits for ${repository} are in the git ${some.length === 1 ? 'branch' : 'branches'} ` +
        `${some.map(({ ref }) => ref.replace('refs/heads/', '')).join(', ')}; the rest of it stays in the branch.`,
    ),
    // Git merges over no file that is not committed.
    ...(isRest && applied > commits.length ? ['What they changed in files is applied and not committed: commit that before you merge them.'] : []),
    ...(left === 0 ? [] : [`${count(left, 'other change')} of ${name} ${left === 1 ? 'stays' : 'stay'} in the branch.`]),
    ...(ofGit === 0 ? [] : [`${count(ofGit, 'file')} of its repository ${ofGit === 1 ? 'stays' : 'stay'} in the branch.`]),
    ...(isRest ? [`To delete the branch: synapse branch drop ${name}`] : []),
    ...(undo === true ? [] : [`This cannot be undone: ${undo}.`]),
  ].join('\n');
}
