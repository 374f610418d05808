import type { ConsoleRun, ConsoleTimelineCall } from '@synapse/protocol/console';
import { useEffect, useState } from 'preact/hooks';
import { useRequest } from '../link/use-request.ts';
import { useStore } from '../state/store.ts';
import { clock, count, duration, visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { CallBody } from './entry-view.tsx';
import { spansOf, type Span } from './spans.ts';

/** Milliseconds without a call that are worth a line: the model thought, or a person was asked. */
const PAUSE_MS = 1_000;
/** Number of the newest calls of all sessions in which news is looked for. */
const MAX_LOOKED = 500;

const DOTS: Readonly<Record<ConsoleTimelineCall['status'], string>> = { ok: 'good', failed: 'bad', running: 'busy', interrupted: 'warn' };

function changedLine({ changes, changed }: ConsoleTimelineCall): string {
  const named = changes.map(({ kind, path, to }) => `${kind} ${path}${to === undefined ? '' : ` → ${to}`}`);
  return [...named, ...(changed > changes.length ? [count(changed - changes.length, 'more', 'more')] : [])].join(', ');
}

/** A call: when, how long, its answer in one line, and behind it what it changed and said. */
function TimedCall({ call, span, all }: { readonly call: ConsoleTimelineCall; readonly span: Span; readonly all: boolean }) {
  const { n, id, tool, args, time, ms, status, summary, changed } = call;
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(all && changed > 0), [all, changed > 0]);
  return (
    <li class="entry">
      {span.waited >= PAUSE_MS && <p class="muted pause">{`${duration(span.waited)} without a call`}</p>}
      <details class={`called called-${status}`} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class={`dot tone-${DOTS[status]}`} aria-hidden="true" />
          <span class="visually-hidden">{status}</span>
          <time class="muted called-time" dateTime={new Date(time).toISOString()}>
            {clock(time)}
          </time>
          <code class="called-tool">{visible(tool)}</code>
          <code class="called-args">{visible(args)}</code>
          <span class="muted called-ms">{ms === undefined ? status : duration(ms)}</span>
          <span class="span" aria-hidden="true">
            <span class={`span-bar tone-${DOTS[status]}`} style={{ marginLeft: `${span.left}%`, width: `${span.width}%` }} />
          </span>
          {summary !== undefined && <span class={status === 'ok' ? 'called-answer muted' : 'called-summary'}>{visible(summary)}</span>}
          {changed > 0 && <span class="called-answer">{visible(changedLine(call))}</span>}
        </summary>
        {open && <CallBody entry={{ n, call: id, tool, status }} />}
      </details>
    </li>
  );
}

/** What changes when a call of a session starts or ends. */
function useLatest(session: string): string {
  return useStore(({ calls }) => {
    const own = calls.slice(-MAX_LOOKED).filter((call) => call.session === session);
    return `${own.at(-1)?.n} ${own.filter(({ status }) => status === 'running').length}`;
  });
}

/** The calls of a run in order, with their times, durations, answers and changes. From the audit log, so also of other processes. */
export function TimelineView({ run: { id, session, status } }: { readonly run: ConsoleRun }) {
  const [before, setBefore] = useState<number>();
  const [all, setAll] = useState(false);
  const latest = useLatest(session);
  const { value, error, reload } = useRequest('runs.timeline', { id, ...(before === undefined ? {} : { before }) }, `${latest} ${status}`);
  const spans = spansOf(value?.calls ?? [], Date.now());
  const first = value?.calls[0];
  return (
    <section class="transcript" aria-label="Timeline">
      <Failure error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading />}
      {value?.calls.length === 0 && <Empty title="No calls yet">Each call of this run appears here, with its time and what it changed.</Empty>}
      {value !== undefined && value.calls.some(({ changed }) => changed > 0) && (
        <button type="button" class="button small" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? 'Fold the diffs' : 'Show all diffs'}
        </button>
      )}
      {value?.more === true && first !== undefined && (
        <button type="button" class="button small" onClick={() => setBefore(first.n)}>
          Show earlier calls
        </button>
      )}
      <ol class="entries">
        {value?.calls.map((call, index) => (
          <TimedCall key={call.n} call={call} span={spans[index] ?? { left: 0, width: 100, waited: 0 }} all={all} />
        ))}
      </ol>
      {before !== undefined && (
        <button type="button" class="button small" onClick={() => setBefore(undefined)}>
          Back to the newest
        </button>
      )}
    </section>
  );
}
