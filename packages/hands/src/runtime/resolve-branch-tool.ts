import * as z from 'zod';
import type { BranchParts } from '../branch/apply-branch.ts';
import { BranchConflict, PLACE_SIDES } from '../branch/branch-conflict.ts';
import type { BranchStore } from '../branch/branch-store.ts';
import type { Choice } from '../branch/resolve-conflict.ts';
import { defineTool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

const Places = z.union([z.enum(PLACE_SIDES), z.array(z.enum(PLACE_SIDES))]);
const Taken = z.enum(['branch', 'workspace', 'content', 'places']);
const TAKEN: Readonly<Record<z.infer<typeof Taken>, string>> = {
  branch: 'the version of the branch is taken',
  workspace: 'the version of the workspace is taken',
  content: 'the given content is taken',
  places: 'the lines of both sides are taken, with the chosen ones where both changed the same,',
};

/** Resolves a conflict. A tool, so that it is recorded; not offered to models, because a person decides. */
export function resolveTool(partsFor: (workspace: Workspace, signal: AbortSignal) => BranchParts, store: BranchStore) {
  return defineTool({
    name: 'resolve_branch',
    title: 'Resolve a conflict of a branch',
    description: 'Choose the version that counts of an entry that the branch and the workspace changed.',
    effects: 'write',
    input: z.strictObject({
      name: z.string(),
      path: z.string(),
      take: Taken,
      content: z.base64().optional().describe('The content to take, in base64'),
      places: Places.optional().describe('The side at each place that both changed, or one for all'),
    }),
    output: BranchConflict.extend({ take: Taken }),
    permission: () => [],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ name, path, take }) => `resolve_branch(${name}, ${path}) → ${take}`,
    async execute({ name, path, take, content = '', places = [] }, { workspace, signal }) {
      const { resolveConflict } = await import('../branch/resolve-conflict.ts');
      const choice = take === 'content' ? { content: Buffer.from(content, 'base64') } : take === 'places' ? { places } : take;
      const conflict = await resolveConflict(partsFor(workspace, signal), store.get(name), path, choice);
      return { data: { ...conflict, take }, content: `${path}: ${TAKEN[take]} when the branch is applied.` };
    },
  });
}

/** The input of {@link resolveTool} for a choice. */
export function choiceInput(choice: Choice) {
  if (typeof choice === 'string') return { take: choice };
  return 'places' in choice
    ? { take: 'places', places: choice.places }
    : { take: 'content', content: Buffer.from(choice.content).toString('base64') };
}
