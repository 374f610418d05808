import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { BranchConflict, describeConflict, describeHeld, outsideHeld, PLACE_SIDES, type PlaceSide } from '../branch/branch-conflict.ts';
import type { Choice } from '../branch/resolve-conflict.ts';
import type { ShownConflict } from '../branch/show-conflict.ts';
import { count } from '../text/amounts.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import type { Branches } from './branches.ts';

const Version = z.strictObject({ what: z.string(), isText: z.boolean() });

interface Given {
  readonly take?: 'branch' | 'workspace' | undefined;
  readonly places?: readonly PlaceSide[] | undefined;
  readonly content?: string | undefined;
}

function choiceOf({ take, places, content }: Given): Choice | undefined {
  const given = Object.entries({ take, places, content }).flatMap(([name, value]) => (value === undefined ? [] : [`"${name}"`]));
  if (given.length > 1) throw new SynapseError('invalid_arguments', `${given.join(' and ')} were given.`, { hint: 'Give one of them.' });
  if (content !== undefined) return { content: Buffer.from(content) };
  return places === undefined ? take : { places };
}

/** The three versions for a model: one text with marks, or what each of them is. */
function versionsText({ marked, mergeable, versions }: ShownConflict): string {
  const what = Object.entries(versions).map(([name, version]) => `${name}: ${version.what}`);
  const ways = [
    ...(mergeable ? ['"places" with a side for each mark in order'] : []),
    ...(marked === undefined ? [] : ['the whole file as "content"']),
  ];
  const choose = `To resolve it, give ${[...ways, '"take"'].join(', or ')}.`;
  return [...(marked === undefined ? [] : [marked.replace(/\n$/u, '')]), ...what, choose].join('\n');
}

/**
 * The tool with which a model sees and resolves what a branch and the workspace changed alike: offered only where a person turns it on. A
 * choice changes nothing: a person applies the branch, and sees what was chosen.
 */
export function branchConflictsTool(hands: () => Pick<Branches, 'showBranch' | 'showConflict' | 'resolveBranch'>): AnyTool {
  return defineTool({
    name: 'branch_conflicts',
    title: 'Conflicts of a branch',
    description:
      'List what both a branch and the workspace changed, see the three versions of a path, or choose what counts: a version, sides by place, or a merged text. A person applies the branch.',
    effects: 'write',
    destructive: false,
    // The choice is kept with the branch, which a dry run has no copy of.
    outside: true,
    input: () =>
      z.strictObject({
        branch: z.string(),
        path: z.string().optional().describe('One conflict. Default: lists all'),
        take: z.enum(['branch', 'workspace']).optional().describe('The whole version that counts'),
        places: z.array(z.enum(PLACE_SIDES)).optional().describe('Lines of both sides, with this side at each marked place'),
        content: z.string().optional().describe('The merged file, whole and without marks'),
      }),
    output: () =>
      z.strictObject({
        conflicts: z.array(BranchConflict),
        versions: z.strictObject({ base: Version, branch: Version, workspace: Version }).exactOptional(),
        marked: z.string().exactOptional(),
        take: z.enum(['branch', 'workspace', 'content', 'places']).exactOptional(),
      }),
    permission: ({ path: resource = '.', take, places, content }) => [
      { action: 'read', resource },
      ...((take ?? places ?? content) === undefined ? [] : [{ action: 'write', resource } as const]),
    ],
    timeoutMs: 120_000,
    keep: 'head',
    summarize: ({ branch, path }, { conflicts, take }) =>
      `branch_conflicts(${branch}${path === undefined ? '' : `, ${path}`}) → ${take ?? count(conflicts.length, 'conflict')}`,
    async execute({ branch, path, ...given }, { signal, origin: { sessionId } }) {
      const choice = choiceOf(given);
      if (path === undefined) {
        if (choice !== undefined) throw new SynapseError('invalid_arguments', 'Missing "path".', { hint: 'Name the file that it is about.' });
        const { conflicts: all, held } = await hands().showBranch(branch, { signal });
        const conflicts = outsideHeld(all, held);
        const lines = conflicts.length === 0 ? ['No conflicts: a person can apply the branch.'] : conflicts.map((one) => describeConflict(one));
        return { data: { conflicts }, content: [...lines, ...held.map((one) => `Not to resolve: ${describeHeld(one, branch)}.`)].join('\n') };
      }
      if (choice === undefined) {
        const shown = await hands().showConflict(branch, path, { signal });
        const { versions, marked } = shown;
        const conflicts = [{ path: shown.path, branch: shown.branch, workspace: shown.workspace }];
        return { data: { conflicts, versions, ...(marked === undefined ? {} : { marked }) }, content: versionsText(shown) };
      }
      const result = await hands().resolveBranch(branch, path, choice, { signal, ...(sessionId === undefined ? {} : { sessionId }) });
      if (!result.ok) {
        const { code, message, hint } = result.error;
        throw new SynapseError(code, message, hint === undefined ? {} : { hint });
      }
      const { take: taken, ...conflict } = result.data;
      return { data: { conflicts: [conflict], take: taken }, content: result.output };
    },
  });
}
