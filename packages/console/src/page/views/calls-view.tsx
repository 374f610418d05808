import type { ConsoleCall } from '@synapse/protocol/console';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { go } from '../link/route.ts';
import { Badge, STATUS_TONES, VERDICT_TONES } from '../parts/badge.tsx';
import { clock, count, duration, size, visible } from '../parts/format.ts';
import { Empty, Loading } from '../parts/note.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { filterCalls, NO_FILTER } from '../state/filter-calls.ts';
import { useStore } from '../state/store.ts';
import { CallFilters } from './call-filters.tsx';
import { CallPanel } from './call-panel.tsx';

const NARROW = matchMedia('(max-width: 760px)');
const HEIGHTS = { wide: 34, narrow: 58 };

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const look = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', look);
    return () => NARROW.removeEventListener('change', look);
  }, []);
  return narrow;
}

const COLUMNS = ['Status', 'Tool', 'Arguments', 'Verdict', 'Sandbox', 'Size', 'Duration', 'Time'] as const;

function Row({ call }: { readonly call: ConsoleCall }) {
  const { tool, args, status, verdict, sandbox, bytes, ms, time, dryRun } = call;
  return (
    <>
      <span role="gridcell" class="cell-status">
        <span class={`dot tone-${STATUS_TONES[status]}`} aria-hidden="true" />
        <span class="visually-hidden">{status}</span>
      </span>
      <span role="gridcell" class="cell-tool">
        {visible(tool)}
        {dryRun === true && <span class="muted"> dry run</span>}
      </span>
      <span role="gridcell" class="cell-args">
        {visible(args)}
      </span>
      <span role="gridcell" class="cell-verdict">
        {verdict !== undefined && verdict !== 'allowed' && <Badge tone={VERDICT_TONES[verdict]}>{verdict}</Badge>}
        {verdict === 'allowed' && <span class="muted">allowed</span>}
      </span>
      <span role="gridcell" class="cell-sandbox muted">
        {sandbox ?? ''}
      </span>
      <span role="gridcell" class="cell-size muted">
        {size(bytes)}
      </span>
      <span role="gridcell" class="cell-ms">
        {status === 'running' ? 'running' : duration(ms)}
      </span>
      <span role="gridcell" class="cell-time muted">
        {clock(time)}
      </span>
    </>
  );
}

const HEAD = (
  <div role="rowgroup" class="grid-head">
    <div role="row" aria-rowindex={1}>
      {COLUMNS.map((name) => (
        <span key={name} role="columnheader" class={`cell-${name === 'Arguments' ? 'args' : name === 'Duration' ? 'ms' : name.toLowerCase()}`}>
          {name}
        </span>
      ))}
    </div>
  </div>
);

/** All calls, live. */
export function CallsView({ id }: { readonly id: string | undefined }) {
  const calls = useStore((state) => state.calls);
  const loading = useStore((state) => state.loading);
  const [filter, setFilter] = useState(NO_FILTER);
  const narrow = useNarrow();
  const shown = useMemo(() => filterCalls(calls, filter), [calls, filter]);
  const selected = useMemo(() => (id === undefined ? undefined : calls.findLast((call) => call.id === id)), [calls, id]);
  return (
    <div class={id === undefined ? 'split' : 'split has-panel'}>
      <div class="split-list">
        <CallFilters filter={filter} calls={calls} onChange={setFilter} />
        <p class="list-count muted" role="status">
          {shown === calls ? count(calls.length, 'call') : `${shown.length.toLocaleString('en')} of ${count(calls.length, 'call')}`}
          {loading && calls.length > 0 ? ' · reading older ones' : ''}
        </p>
        {calls.length === 0 && loading && <Loading />}
        {calls.length === 0 && !loading && (
          <Empty title="No calls yet">Calls of every process in this project appear here as they happen. Try a tool, or run a protocol.</Empty>
        )}
        {calls.length > 0 && shown.length === 0 && <Empty title="No call fits the filter">Clear it to see all of them.</Empty>}
        {shown.length > 0 && (
          <VirtualList
            label="Calls"
            items={shown}
            rowHeight={narrow ? HEIGHTS.narrow : HEIGHTS.wide}
            keyOf={({ n }) => n}
            render={(call) => <Row call={call} />}
            onOpen={(call) => go('calls', call.id)}
            selected={selected?.n}
            head={HEAD}
            columns={COLUMNS.length}
          />
        )}
      </div>
      {id !== undefined && <CallPanel id={id} row={selected} />}
    </div>
  );
}
