import type { ConsoleRun } from '@synapse/protocol/console';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { count } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { EntryView } from './entry-view.tsx';
import { useTranscript } from './use-transcript.ts';

/** Pixels from the end at which the view still follows new entries. */
const NEAR = 80;

/** Keeps a scrolled box at its end while it grows, unless the user scrolled away. */
function useFollow(list: RefObject<HTMLElement | null>, changed: unknown, follows: boolean): void {
  const atEnd = useRef(true);
  useEffect(() => {
    const box = list.current?.closest('.panel-body');
    if (box == null) return undefined;
    const look = (): void => void (atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR);
    box.addEventListener('scroll', look, { passive: true });
    return () => box.removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    const box = list.current?.closest('.panel-body');
    if (box != null && follows && atEnd.current) box.scrollTop = box.scrollHeight;
  }, [changed, follows]);
}

/** What happened in a run, in order. Shows a bounded part, so that a long run stays fast. */
export function TranscriptView({ run, follow }: { readonly run: ConsoleRun; readonly follow: boolean }) {
  const { part, error, follows, show } = useTranscript(run);
  const list = useRef<HTMLElement>(null);
  useFollow(list, part, follow && follows);
  return (
    <section ref={list} class="transcript" aria-label="Transcript">
      <Failure error={error} />
      {part === undefined && error === undefined && <Loading />}
      {part !== undefined && part.from > part.first && (
        <button type="button" class="button small" onClick={() => show(part.from)}>
          {`Show earlier entries (${count(part.from - part.first, 'more', 'more')})`}
        </button>
      )}
      {part !== undefined && part.first > 0 && part.from === part.first && (
        <p class="muted">{`${count(part.first, 'older entry', 'older entries')} are not kept here. The session has them: synapse sessions show.`}</p>
      )}
      <ol class="entries">
        {part?.entries.map((entry) => (
          <EntryView key={entry.n} entry={entry} />
        ))}
      </ol>
      {part?.last === 0 && run.status !== 'running' && <p class="muted">Nothing was recorded.</p>}
      {!follows && (
        <button type="button" class="button small" onClick={() => show(undefined)}>
          Back to the newest
        </button>
      )}
    </section>
  );
}
