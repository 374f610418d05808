import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '@synapse/brain';
import { branchFacts, branchWork, BranchStore, type BranchSession } from '@synapse/hands/internal';
import type { ConsoleBranch } from '@synapse/protocol/console';

type Session = ConsoleBranch['sessions'][number];

/** Maximum number of sessions of a branch, the newest. */
const MAX_SESSIONS = 20;

/** The sessions of models in a branch, which may not have made a call yet. */
function modelSessions(state: string, root: string): Map<string, Session> {
  // Opening the sessions creates their file, where there is none.
  if (!existsSync(join(state, 'sessions.db'))) return new Map();
  using store = SessionStore.open(state);
  return new Map(
    store
      .list(root, MAX_SESSIONS)
      .map(({ id, task, status, updatedAt, calls }): [string, Session] => [
        id,
        { session: id, ...(task === '' ? {} : { title: task }), calls, time: updatedAt, running: status === 'running' },
      ]),
  );
}

function joined({ session, calls, last }: BranchSession, model: Session | undefined, inUse: boolean): Session {
  return {
    session,
    calls,
    tool: last.tool,
    ...(model?.title === undefined ? {} : { title: model.title }),
    time: Math.max(Date.parse(last.time), model?.time ?? 0),
    // A session whose process was killed is still marked as running.
    running: inUse && (last.status === 'running' || model?.running === true),
  };
}

/** Lists the branches of a project, with the sessions that worked in each. */
export function listBranches(stateFolder: string, root: string): ConsoleBranch[] {
  const facts = new Map(branchFacts(stateFolder, root).map((one) => [one.name, one]));
  return new BranchStore(stateFolder, root).list().flatMap((stored): ConsoleBranch[] => {
    const { name } = stored.record;
    const known = facts.get(name);
    // Made after the others were listed.
    if (known === undefined) return [];
    const { from, created, changes, jobs, in_use: inUse } = known;
    const models = modelSessions(stored.folder.state, root);
    const { sessions: callers, command, tests } = branchWork(stateFolder, stored);
    const called = callers.map((one) => joined(one, models.get(one.session ?? ''), inUse));
    const silent = [...models.values()].filter(({ session }) => !called.some((one) => one.session === session));
    const sessions = [...called, ...silent.map((one) => ({ ...one, running: inUse && one.running }))];
    return [
      {
        name,
        from,
        created: Date.parse(created),
        changes,
        inUse,
        ...(command === undefined ? {} : { command: { ...command, time: Date.parse(command.time) } }),
        ...(tests === undefined ? {} : { tests: { ...tests, time: Date.parse(tests.time) } }),
        jobs: jobs.map(({ id, command, ports }) => ({ id, command, ports: [...ports] })),
        sessions: sessions.toSorted((one, other) => other.time - one.time).slice(0, MAX_SESSIONS),
      },
    ];
  });
}
