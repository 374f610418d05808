import type { ConsoleJob } from '@synapse/protocol/console';
import { hrefOf } from '../link/places.ts';
import { Badge } from '../parts/badge.tsx';
import { clock, duration, visible } from '../parts/format.ts';
import { Empty } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';
import { JobPanel } from './job-panel.tsx';

const TONES = { running: 'busy', ending: 'warn', ended: 'plain' } as const;

function JobRow({ job, current }: { readonly job: ConsoleJob; readonly current: boolean }) {
  const { id, command, status, startedAt, endedAt, exitCode } = job;
  return (
    <li>
      <a class="card-row" href={hrefOf('jobs', id)} aria-current={current ? 'true' : undefined}>
        <code class="ellipsis">{visible(command)}</code>
        <span class="row-facts muted">
          <Badge tone={status === 'ended' && exitCode !== 0 ? 'bad' : TONES[status]}>
            {status === 'ended' && exitCode !== null ? `exit ${exitCode}` : status}
          </Badge>
          {clock(startedAt)}
          {endedAt !== undefined && ` · ${duration(endedAt - startedAt)}`}
        </span>
      </a>
    </li>
  );
}

/** Background commands of all processes. */
export function JobsView({ id }: { readonly id: string | undefined }) {
  const jobs = useStore((state) => state.jobs);
  const selected = jobs.find((job) => job.id === id);
  if (jobs.length === 0) return <Empty title="No jobs">Commands that go on in the background appear here, with their output.</Empty>;
  return (
    <div class={selected === undefined ? 'split' : 'split has-panel'}>
      <div class="split-list scroll">
        <ul class="card-list">
          {jobs.toReversed().map((job) => (
            <JobRow key={job.id} job={job} current={job.id === id} />
          ))}
        </ul>
      </div>
      {selected !== undefined && <JobPanel key={selected.id} job={selected} />}
    </div>
  );
}
