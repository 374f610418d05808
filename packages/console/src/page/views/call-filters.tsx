import type { ConsoleCall } from '@synapse/protocol/console';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { isTyping } from '../parts/is-typing.ts';
import { NO_FILTER, type CallFilter } from '../state/filter-calls.ts';

const STATUSES: ReadonlyArray<readonly [CallFilter['status'], string]> = [
  ['all', 'All'],
  ['running', 'Running'],
  ['failed', 'Failed'],
  ['denied', 'Denied'],
];

/** Number of newest calls whose tools and sessions are offered as filters. */
const LOOKED_AT = 5_000;

export function CallFilters({
  filter,
  calls,
  onChange,
}: {
  readonly filter: CallFilter;
  readonly calls: readonly ConsoleCall[];
  readonly onChange: (filter: CallFilter) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  // Update every 50 calls only, because the names rarely change.
  const round = Math.floor(calls.length / 50);
  const { tools, sessions } = useMemo(() => {
    const newest = calls.slice(-LOOKED_AT);
    return {
      tools: [...new Set(newest.map(({ tool }) => tool))].toSorted(),
      sessions: [...new Set(newest.flatMap(({ session }) => session ?? []))].slice(-100).toReversed(),
    };
  }, [round, calls.length > 0]);
  const isFiltered = filter.text !== '' || filter.status !== 'all' || filter.tool !== '' || filter.session !== '';
  return (
    <div class="toolbar" role="search" aria-label="Filter calls">
      <label class="search">
        <Icon name="search" />
        <span class="visually-hidden">Filter</span>
        <input
          ref={input}
          type="search"
          placeholder="Filter by tool, argument, session …"
          value={filter.text}
          onInput={({ currentTarget }) => onChange({ ...filter, text: currentTarget.value })}
        />
      </label>
      <div class="segments" role="group" aria-label="Status">
        {STATUSES.map(([status, text]) => (
          <button key={status} type="button" aria-pressed={filter.status === status} onClick={() => onChange({ ...filter, status })}>
            {text}
          </button>
        ))}
      </div>
      <label>
        <span class="visually-hidden">Tool</span>
        <select value={filter.tool} onChange={({ currentTarget }) => onChange({ ...filter, tool: currentTarget.value })}>
          <option value="">All tools</option>
          {tools.map((name) => (
            <option key={name} value={name}>
              {visible(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="visually-hidden">Session</span>
        <select value={filter.session} onChange={({ currentTarget }) => onChange({ ...filter, session: currentTarget.value })}>
          <option value="">All sessions</option>
          {sessions.map((name) => (
            <option key={name} value={name}>
              {visible(name.slice(0, 40))}
            </option>
          ))}
        </select>
      </label>
      {isFiltered && (
        <button type="button" class="button" onClick={() => onChange(NO_FILTER)}>
          Clear
        </button>
      )}
    </div>
  );
}
