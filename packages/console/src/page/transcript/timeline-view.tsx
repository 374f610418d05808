import type { ConsoleRun, ConsoleTimeline, ConsoleTimelineCall } from '@synapse/protocol/console';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useRequest, type Requested } from '../link/use-request.ts';
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

/** When a call was made, how long it took, and its answer in one line. */
function CallLine({ call, span }: { readonly call: ConsoleTimelineCall; readonly span: Span }) {
  const { tool, args, time, ms, status, summary, changed } = call;
  return (
    <>
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
    </>
  );
}

/** A call with what it changed and said behind it. */
function OpenCall({ call, all, children }: { readonly call: ConsoleTimelineCall; readonly all: boolean; readonly children: ComponentChildren }) {
  const { n, id, tool, status, changed } = call;
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(all && changed > 0), [all, changed > 0]);
  return (
    <details class={`called called-${status}`} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{children}</summary>
      {open && <CallBody entry={{ n, call: id, tool, status }} />}
    </details>
  );
}

interface TimelineProps {
  readonly requested: Requested<ConsoleTimeline>;
  /** Only calls before this position are shown; undefined for the newest. */
  readonly before: number | undefined;
  readonly onBefore: (before: number | undefined) => void;
  /** Whether what calls changed and said can be shown: it is known of calls in the workspace only. */
  readonly opens: boolean;
}

/** Calls in order, with their times, durations, answers and changes. */
function Timeline({ requested: { value, error, reload }, before, onBefore, opens }: TimelineProps) {
  const [all, setAll] = useState(false);
  const calls = value?.calls ?? [];
  const spans = spansOf(calls, Date.now());
  const [first] = calls;
  return (
    <section class="transcript" aria-label="Timeline">
      <Failure error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading />}
      {value?.calls.length === 0 && <Empty title="No calls yet">Each call appears here, with its time and what it changed.</Empty>}
      {opens && calls.some(({ changed }) => changed > 0) && (
        <button type="button" class="button small" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? 'Fold the diffs' : 'Show all diffs'}
        </button>
      )}
      {value?.more === true && first !== undefined && (
        <button type="button" class="button small" onClick={() => onBefore(first.n)}>
          Show earlier calls
        </button>
      )}
      <ol class="entries">
        {calls.map((call, index) => {
          const span = spans[index] ?? { left: 0, width: 100, waited: 0 };
          const line = <CallLine call={call} span={span} />;
          return (
            <li key={call.n} class="entry">
              {span.waited >= PAUSE_MS && <p class="muted pause">{`${duration(span.waited)} without a call`}</p>}
              {opens ? (
                <OpenCall call={call} all={all}>
                  {line}
                </OpenCall>
              ) : (
                <div class={`called called-${call.status} called-line`}>{line}</div>
              )}
            </li>
          );
        })}
      </ol>
      {before !== undefined && (
        <button type="button" class="button small" onClick={() => onBefore(undefined)}>
          Back to the newest
        </button>
      )}
    </section>
  );
}

/** What changes when a call of a session starts or ends. */
function useLatest(session: string): string {
  return useStore(({ calls }) => {
    const own = calls.slice(-MAX_LOOKED).filter((call) => call.session === session);
    return `${own.at(-1)?.n} ${own.filter(({ status }) => status === 'running').length}`;
  });
}

/** The calls of a run, whichever process made them. */
export function RunTimeline({ run: { id, session, status } }: { readonly run: ConsoleRun }) {
  const [before, setBefore] = useState<number>();
  const latest = useLatest(session);
  const requested = useRequest('runs.timeline', { id, ...(before === undefined ? {} : { before }) }, `${latest} ${status}`);
  return <Timeline requested={requested} before={before} onBefore={setBefore} opens />;
}

/** The calls in a branch. */
export function BranchTimeline({ name, watched }: { readonly name: string; readonly watched: unknown }) {
  const [before, setBefore] = useState<number>();
  const requested = useRequest('branches.timeline', { name, ...(before === undefined ? {} : { before }) }, watched);
  return <Timeline requested={requested} before={before} onBefore={setBefore} opens={false} />;
}
