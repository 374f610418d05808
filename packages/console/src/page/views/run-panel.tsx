import type { ConsoleRun } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { hrefOf } from '../link/places.ts';
import { goToAnswer } from '../link/route.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { RunBadge } from '../parts/badge.tsx';
import { visible } from '../parts/format.ts';
import { Failure } from '../parts/note.tsx';
import { Panel } from '../parts/panel.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useAction } from '../parts/use-action.ts';
import { useStore } from '../state/store.ts';
import { SayBox } from '../transcript/say-box.tsx';
import { RunTimeline } from '../transcript/timeline-view.tsx';
import { TranscriptView } from '../transcript/transcript-view.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { AttributionBadges } from './attribution-badges.tsx';
import { RunFacts } from './run-facts.tsx';
import { StepList } from './step-list.tsx';

function Controls({ run }: { readonly run: ConsoleRun }) {
  const { id, status, canResume, elsewhere, session } = run;
  const action = useAction();
  const button = (text: string, method: 'runs.hold' | 'runs.resume' | 'runs.stop') => (
    <button type="button" class="button" disabled={action.busy} onClick={() => void action.run(() => line.request(method, { id }))}>
      {text}
    </button>
  );
  const retry = (): Promise<void> => goToAnswer('runs', line.request('runs.retry', { id }));
  const isOver = status !== 'running' && status !== 'held';
  return (
    <>
      <div class="actions">
        {status === 'running' && elsewhere === undefined && button('Pause', 'runs.hold')}
        {(status === 'held' || canResume) && button('Resume', 'runs.resume')}
        {!isOver && elsewhere === undefined && button('Stop', 'runs.stop')}
        {isOver && (
          <button type="button" class="button" disabled={action.busy} onClick={() => void action.run(retry)}>
            Retry
          </button>
        )}
        <a class="button" href={hrefOf('changes', session)}>
          Changes
        </a>
      </div>
      <Failure error={action.error} />
    </>
  );
}

/** The open questions of a run, answerable where they were asked. */
function RunQuestions({ session }: { readonly session: string }) {
  const approvals = useStore((state) => state.approvals);
  const own = approvals.flatMap((question) => (question.kind === 'call' && question.session === session ? [question] : []));
  return (
    <>
      {own.map((approval, index) => (
        <ApprovalCard key={approval.id} approval={approval} first={index === 0} />
      ))}
    </>
  );
}

/** A report with its sources, and behind it what led to it. */
function Report({ run }: { readonly run: ConsoleRun }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <StepList steps={run.steps} />
      {run.attribution !== undefined && <AttributionBadges attribution={run.attribution} session={run.session} />}
      <Markdown text={run.text} />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Transcript</summary>
        {open && <TranscriptView run={run} follow={false} />}
      </details>
    </>
  );
}

/** What happened in a run: as a story or a report, and call by call. */
function Happened({ run }: { readonly run: ConsoleRun }) {
  const [tab, setTab] = useState<'story' | 'timeline'>('story');
  const story = run.text === '' ? <TranscriptView run={run} follow /> : <Report run={run} />;
  return (
    <>
      <Tabs
        label="Run"
        tabs={[
          ['story', run.text === '' ? 'Transcript' : 'Report'],
          ['timeline', 'Timeline'],
        ]}
        current={tab}
        onChoose={setTab}
      />
      <div class="tab-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'story' ? story : <RunTimeline run={run} />}
      </div>
    </>
  );
}

/** A run: its progress, what happened in it, and ways to intervene. */
export function RunPanel({ run }: { readonly run: ConsoleRun }) {
  const { title, status, reason, elsewhere, canSay } = run;
  return (
    <Panel
      label="Run"
      view="runs"
      id={run.id}
      title={visible(title)}
      badge={<RunBadge status={status} />}
      foot={canSay && <SayBox key={run.id} run={run} />}
    >
      <RunFacts run={run} />
      <Controls run={run} />
      {elsewhere === true && (
        <p class="note">
          Another process runs this, or ended without a word. What it does appears here. If it ended: <code>{`synapse resume ${run.id}`}</code>
        </p>
      )}
      {reason !== undefined && <p class="note note-warn">{visible(reason)}</p>}
      <Happened run={run} />
      <RunQuestions session={run.session} />
    </Panel>
  );
}
