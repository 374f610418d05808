import type { ConsoleRun } from '@synapse/protocol/console';
import { line } from '../link/line.ts';
import { go } from '../link/route.ts';
import { useAction } from '../parts/use-action.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { RunBadge } from '../parts/badge.tsx';
import { count, duration, visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { AttributionBadges } from './attribution-badges.tsx';
import { StepList } from './step-list.tsx';

function Controls({ run }: { readonly run: ConsoleRun }) {
  const { id, status, canResume } = run;
  const action = useAction();
  const button = (text: string, method: 'runs.hold' | 'runs.resume' | 'runs.stop') => (
    <button type="button" class="button" disabled={action.busy} onClick={() => void action.run(() => line.request(method, { id }))}>
      {text}
    </button>
  );
  const retry = async (): Promise<void> => go('runs', (await line.request('runs.retry', { id })).id);
  const isOver = status !== 'running' && status !== 'held';
  return (
    <>
      <div class="actions">
        {status === 'running' && button('Pause', 'runs.hold')}
        {(status === 'held' || canResume) && button('Resume', 'runs.resume')}
        {!isOver && button('Stop', 'runs.stop')}
        {isOver && (
          <button type="button" class="button" disabled={action.busy} onClick={() => void action.run(retry)}>
            Retry
          </button>
        )}
      </div>
      <Failure error={action.error} />
    </>
  );
}

/** A run: its progress, actions and output. */
export function RunPanel({ run }: { readonly run: ConsoleRun }) {
  const { title, brain, status, steps, calls, tokens, reason, text, attribution, startedAt, endedAt, session } = run;
  const current = steps.find((step) => step.status === 'running') ?? steps.findLast((step) => step.status === 'done');
  return (
    <Panel label="Run" view="runs" id={run.id} title={visible(title)} badge={<RunBadge status={status} />}>
      <p class="muted" role="status">
        {[
          current === undefined ? undefined : `Step ${current.index}/${steps.length}`,
          count(calls, 'call'),
          tokens === undefined ? undefined : count(tokens, 'token'),
          endedAt === undefined ? undefined : duration(endedAt - startedAt),
          visible(brain),
        ]
          .filter((part) => part !== undefined)
          .join(' · ')}
      </p>
      <Controls run={run} />
      {reason !== undefined && <p class="note note-warn">{visible(reason)}</p>}
      <StepList steps={steps} />
      {attribution !== undefined && <AttributionBadges attribution={attribution} session={session} />}
      {text !== '' && <Markdown text={text} />}
    </Panel>
  );
}
