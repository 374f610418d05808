import type { ConsoleRun } from '@synapse/protocol/console';
import { hrefOf } from '../link/places.ts';
import { RunBadge } from '../parts/badge.tsx';
import { clock, count, visible } from '../parts/format.ts';
import { Empty } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';
import { RunForm } from './run-form.tsx';
import { RunPanel } from './run-panel.tsx';

function RunRow({ run, current }: { readonly run: ConsoleRun; readonly current: boolean }) {
  const { id, title, brain, status, calls, startedAt } = run;
  return (
    <li>
      <a class="card-row" href={hrefOf('runs', id)} aria-current={current ? 'true' : undefined}>
        <span class="ellipsis strong">{visible(title)}</span>
        <span class="row-facts muted">
          <RunBadge status={status} />
          {`${visible(brain)} · ${count(calls, 'call')} · ${clock(startedAt)}`}
        </span>
      </a>
    </li>
  );
}

/** Runs of protocols and tasks. */
export function RunsView({ id }: { readonly id: string | undefined }) {
  const runs = useStore((state) => state.runs);
  const selected = runs.find((run) => run.id === id);
  return (
    <div class={selected === undefined ? 'split' : 'split has-panel wide-panel'}>
      <div class="split-list scroll">
        <RunForm />
        {runs.length === 0 ? (
          <Empty title="No runs yet">Start Project Resurrection: it analyzes the project without a model, and writes where it stands.</Empty>
        ) : (
          <ul class="card-list">
            {runs.toReversed().map((run) => (
              <RunRow key={run.id} run={run} current={run.id === id} />
            ))}
          </ul>
        )}
      </div>
      {selected !== undefined && <RunPanel key={selected.id} run={selected} />}
    </div>
  );
}
