import type { Approver, UndoSelection } from '@synapse/hands';
import { queryAudit } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { ConsoleSessionChanges } from '@synapse/protocol/console';
import type { Handlers } from './method.ts';

/** Approves an undo that the user confirmed in the page after seeing its effects. */
const CONFIRMED: Approver = { name: 'console', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
/** Maximum number of named files of a session. */
const MAX_PATHS = 200;
/** Maximum number of calls to search for sessions with changes. */
const MAX_LOOKED = 20_000;

function selected({ call, session }: { readonly call?: string | undefined; readonly session?: string | undefined }): UndoSelection {
  if (call === undefined && session === undefined) throw new SynapseError('invalid_arguments', 'Name a call or a session.');
  return { ...(call === undefined ? {} : { call }), ...(session === undefined ? {} : { session }) };
}

export const changes: Handlers<'changes'> = {
  'changes.sessions': (_, { project }) => {
    const found = new Map<string | null, ConsoleSessionChanges>();
    for (const { start, end } of queryAudit(project.stateFolder, project.root, { limit: MAX_LOOKED })) {
      if (end?.changes === undefined || end.changes.length === 0) continue;
      const session = start.session ?? null;
      const known = found.get(session) ?? { session, paths: [], calls: 0, time: Date.parse(start.time) };
      const paths = end.changes.map(({ path }) => path).filter((path) => !known.paths.includes(path));
      known.paths.push(...paths.slice(0, MAX_PATHS - known.paths.length));
      found.set(session, { ...known, calls: known.calls + 1 });
    }
    const titles = new Map(project.runs.list().map((run) => [run.session, run.title]));
    return Array.from(found.values(), (one) => {
      const title = one.session === null ? undefined : titles.get(one.session);
      return title === undefined ? one : { ...one, title };
    });
  },
  'changes.list': async ({ call, session }, { project }) =>
    await project.hands.changes({ ...(call === undefined ? {} : { call }), ...(session === undefined ? {} : { session }) }),
  'changes.plan': async (params, { project }) => {
    const plan = await project.hands.planUndo(selected(params));
    const { calls, changes: steps, kept_folders: keptFolders, conflicts } = plan;
    const told = [
      ...plan.protected.map(({ path, reason }) => `Other programs execute or obey ${path}: ${reason}.`),
      ...plan.left.map(({ call, tool, reason }) => `Stays as it is: ${tool} (${call}). ${reason}`),
      ...plan.not_covered,
    ];
    return {
      calls: calls.map(({ call, tool, time }) => ({ call, tool, time })),
      changes: steps.map(({ kind, path, to }) => ({ kind, path, ...(to === undefined ? {} : { to }) })),
      keptFolders: [...keptFolders],
      conflicts: [...conflicts],
      notCovered: told,
    };
  },
  'changes.undo': async (params, { project, signal }) => {
    const result = await project.hands.undo(selected(params), { signal, approver: CONFIRMED });
    if (!result.ok)
      throw new SynapseError(result.error.code, result.error.message, result.error.hint === undefined ? {} : { hint: result.error.hint });
    project.emit({ type: 'stale', topics: ['changes'] });
    return { message: result.output };
  },
};
