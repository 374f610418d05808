import type { WorkspaceJob } from '@synapse/hands/internal';
import type { ConsoleJob } from '@synapse/protocol/console';

/** Converts a job for the page. */
export function jobView(job: WorkspaceJob): ConsoleJob {
  return {
    id: job.id,
    command: job.command,
    cwd: job.cwd,
    session: job.session,
    call: job.call,
    startedAt: Date.parse(job.started_at),
    ...(job.ended_at === null ? {} : { endedAt: Date.parse(job.ended_at) }),
    status: job.status,
    detached: job.detached,
    exitCode: job.exit_code,
    ...(job.ending === null ? {} : { ending: job.ending }),
    ...(job.sandbox === null ? {} : { sandbox: job.sandbox }),
  };
}
