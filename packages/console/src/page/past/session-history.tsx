import type { ConsolePastCall } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { Changes } from '../diff/diff.tsx';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { clock, count, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useStore } from '../state/store.ts';
import { type Moment, PastFiles } from './past-files.tsx';

/** The moment at a position of the slider: before the first call, and then after each. */
function momentAt(calls: readonly ConsolePastCall[], position: number): Moment | undefined {
  const call = calls[Math.max(0, position - 1)]?.call;
  return call === undefined ? undefined : { call, side: position === 0 ? 'before' : 'after' };
}

function nameOf(calls: readonly ConsolePastCall[], position: number): string {
  const call = calls[position - 1];
  return call === undefined ? 'Before the first call' : `After ${visible(call.tool)} at ${clock(call.time)}`;
}

function OwnChanges({ moment }: { readonly moment: Moment }) {
  const { value, error, reload } = useRequest('calls.get', { call: moment.call });
  if (moment.side === 'before') return <p class="muted">The session begins here.</p>;
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.changes.length === 0 && <p class="muted">{value.changesNote ?? 'It changed no files.'}</p>}
      {value !== undefined && <Changes changes={value.changes} by="this call" />}
    </>
  );
}

function Since({ moment }: { readonly moment: Moment }) {
  const stale = useStore((state) => state.stale.changes);
  const { value, error, reload } = useRequest('past.changes', moment, stale);
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.changes.length === 0 && <p class="muted">Nothing that calls touched differs from now.</p>}
      {value?.more === true && <p class="note note-warn">There is more, which was not compared.</p>}
      {value !== undefined && <Changes changes={value.changes} by="all since then" />}
    </>
  );
}

const TABS = [
  ['own', 'This call'],
  ['since', 'Until now'],
  ['files', 'Files'],
] as const;

/** The workspace over the calls of a session: a slider, with the files and the differences at each. */
export function SessionHistory({ session }: { readonly session: string }) {
  const known = useStore((state) => state.calls.length);
  const { value: calls, error } = useRequest('past.calls', { session }, known);
  const [chosen, setChosen] = useState<number>();
  const [tab, setTab] = useState<(typeof TABS)[number][0]>('own');
  if (error !== undefined) return <Failure error={error} />;
  if (calls === undefined || calls.length === 0) return null;
  const position = Math.min(chosen ?? calls.length, calls.length);
  const moment = momentAt(calls, position);
  if (moment === undefined) return null;
  const changed = calls[position - 1]?.changes ?? 0;
  return (
    <Section title="The workspace over time" actions={position > 0 && <a href={hrefOf('calls', moment.call)}>Show the call</a>}>
      <input
        type="range"
        class="slider"
        min={0}
        max={calls.length}
        value={position}
        aria-label="Moment"
        aria-valuetext={nameOf(calls, position)}
        onInput={({ currentTarget }) => setChosen(Number(currentTarget.value))}
      />
      <p>
        <span class="strong">{nameOf(calls, position)}</span>
        <span class="muted">{` · ${position} of ${count(calls.length, 'call')}${changed === 0 ? '' : ` · ${count(changed, 'change')}`}`}</span>
      </p>
      <Tabs label="At this moment" tabs={TABS} current={tab} onChoose={setTab} />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === 'own' && <OwnChanges moment={moment} />}
        {tab === 'since' && <Since moment={moment} />}
        {tab === 'files' && <PastFiles moment={moment} />}
      </div>
    </Section>
  );
}
