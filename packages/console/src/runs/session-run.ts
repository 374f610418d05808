import type { SessionRecord } from '@synapse/brain';
import type { ConsoleParams, ConsoleRun } from '@synapse/protocol/console';
import { RUN_STATUS } from './run-status.ts';

/** Shows a stored session as a run, whichever process made it. */
export function sessionRun(record: SessionRecord, revision: number): ConsoleRun {
  const { id, task, model, baseUrl, protocol, dialect, remote, branch, status, createdAt, updatedAt, calls } = record;
  // The tools of another dialect or machine, and the files of a branch, are not those of this console.
  const isOurs = dialect === undefined && remote === undefined && branch === undefined;
  return {
    id,
    title: task === '' ? (protocol ?? 'Session') : task,
    session: id,
    ...(protocol === undefined ? {} : { protocol }),
    brain: model === '' ? (baseUrl ?? '') : model,
    status: RUN_STATUS[status],
    startedAt: createdAt,
    ...(status === 'running' ? { elsewhere: true as const } : { endedAt: updatedAt }),
    steps: [],
    calls,
    text: '',
    revision,
    canResume: isOurs && (status === 'paused' || status === 'cancelled'),
    canSay: isOurs && status !== 'running',
  };
}

/** The request that starts the work of a session again. */
export function startOf({ task, model, baseUrl, protocol }: SessionRecord): ConsoleParams<'runs.start'> {
  return {
    ...(protocol === undefined ? { task } : { protocol }),
    ...(model === '' ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}
