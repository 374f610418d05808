import type { BranchConflict, ConflictPlace } from '@synapse/hands';
import { branchCalls, BranchStore, describeConflict, describeHeld, outsideHeld } from '@synapse/hands/internal';
import { SynapseError, type CallResult } from '@synapse/protocol';
import type { ConsoleConflict } from '@synapse/protocol/console';
import { listBranches } from '../project/list-branches.ts';
import { timelineOf } from '../runs/timeline.ts';
import { effectView } from './effect-view.ts';
import type { Handlers } from './method.ts';

function assertOk<Data>(result: CallResult<Data>): asserts result is Extract<CallResult<Data>, { ok: true }> {
  if (result.ok) return;
  const { code, message, hint } = result.error;
  throw new SynapseError(code, message, hint === undefined ? {} : { hint });
}

const copied = ({ line, lines }: ConflictPlace['base']): { line: number; lines: string[] } => ({ line, lines: [...lines] });

const conflictView = (conflict: BranchConflict): ConsoleConflict => ({ path: conflict.path, detail: `${describeConflict(conflict)}.` });

export const branches: Handlers<'branches'> = {
  'branches.list': (_, { project }) => listBranches(project.stateFolder, project.root),
  'branches.show': async ({ name }, { project, signal }) => {
    const shown = await project.hands.showBranch(name, { signal });
    const { merged, conflicts, held, comparedWith } = shown;
    const cautions = [...shown.cautions, ...held.map((repository) => `${describeHeld(repository, name)}.`)];
    return { ...effectView({ ...shown, cautions }), merged: [...merged], conflicts: outsideHeld(conflicts, held).map(conflictView), comparedWith };
  },
  'branches.compare': async ({ name, other }, { project, signal }) => effectView(await project.hands.compareBranches(name, other, { signal })),
  'branches.apply': async ({ name, paths, hunks = [] }, { project, signal }) => {
    const result = await project.hands.applyBranch(name, { signal, hunks, ...(paths === undefined ? {} : { paths }) });
    assertOk(result);
    project.emit({ type: 'stale', topics: ['branches', 'changes', 'quarantine'] });
    const { applied, left, conflicts } = result.data;
    return {
      message: result.output,
      call: result.meta.callId,
      applied,
      left,
      conflicts: conflicts.map(conflictView),
    };
  },
  'branches.conflict': async ({ name, path }, { project, signal }) => {
    const { versions, mergeable, places, more } = await project.hands.showConflict(name, path, { signal });
    return {
      versions,
      mergeable,
      more,
      places: places.map(({ both, before, base, branch, workspace, after }) => ({
        both,
        before: [...before],
        base: copied(base),
        branch: copied(branch),
        workspace: copied(workspace),
        after: [...after],
      })),
    };
  },
  'branches.resolve': async ({ name, path, take }, { project, signal }) => {
    const result = await project.hands.resolveBranch(name, path, typeof take === 'string' ? take : { places: take }, { signal });
    assertOk(result);
    project.emit({ type: 'stale', topics: ['branches'] });
    return { message: result.output };
  },
  'branches.timeline': ({ name, before }, { project: { stateFolder, root, defaultsOf } }) =>
    timelineOf(branchCalls(stateFolder, new BranchStore(stateFolder, root).get(name)), defaultsOf, before),
  'branches.drop': async ({ name }, { project }) => {
    await project.hands.dropBranch(name);
    project.emit({ type: 'stale', topics: ['branches'] });
    return { message: `The branch ${name} is deleted.` };
  },
};
