import type { ConsoleEntry, ConsoleRun, ConsoleTranscript } from '@synapse/protocol/console';
import { useEffect, useRef, useState } from 'preact/hooks';
import { line, type RequestError } from '../link/line.ts';
import { useStore } from '../state/store.ts';

/** The part of a transcript that the page holds. */
export interface TranscriptPart extends Omit<ConsoleTranscript, 'entries'> {
  readonly entries: readonly ConsoleEntry[];
}

/** Merges an answer into the part that is shown. Entries that did not change keep their identity, so they are not rendered again. */
export function mergePart(before: TranscriptPart | undefined, answer: ConsoleTranscript): TranscriptPart {
  const { from, to } = answer;
  const kept = (before?.entries ?? []).filter(({ n }) => n >= from && n < to);
  const byPosition = new Map([...kept, ...answer.entries].map((entry) => [entry.n, entry]));
  return { ...answer, entries: [...byPosition.values()].toSorted((a, b) => a.n - b.n) };
}

export interface ShownTranscript {
  readonly part: TranscriptPart | undefined;
  readonly error: RequestError | undefined;
  /** Whether the newest entries are shown as they come. */
  readonly follows: boolean;
  /** Shows the part that ends before a position. Default: the newest. */
  readonly show: (end?: number) => void;
}

/** Follows the transcript of a run. Asks for what changed, one request at a time, so a fast run cannot flood the page. */
export function useTranscript({ id, revision }: Pick<ConsoleRun, 'id' | 'revision'>): ShownTranscript {
  const live = useStore((state) => state.link === 'live');
  const epoch = useStore((state) => state.epoch);
  const [end, show] = useState<number>();
  const [held, setHeld] = useState<{ readonly key: string; readonly part: TranscriptPart }>();
  const [error, setError] = useState<RequestError>();
  const asking = useRef('');
  const key = JSON.stringify([id, epoch, end]);
  const part = held?.key === key ? held.part : undefined;
  useEffect(() => {
    if (!live || asking.current === key || (part !== undefined && part.revision >= revision)) return;
    asking.current = key;
    line.request('runs.transcript', { id, ...(end === undefined ? {} : { end }), ...(part === undefined ? {} : { since: part.revision }) }).then(
      (answer) => {
        if (asking.current !== key) return;
        asking.current = '';
        setError(undefined);
        setHeld((before) => ({ key, part: mergePart(before?.key === key ? before.part : undefined, answer) }));
      },
      (failure: RequestError) => {
        if (asking.current !== key) return;
        asking.current = '';
        setError(failure);
      },
    );
    // A failed request is sent again with the next change, or when the connection is back.
  }, [live, key, revision, part]);
  return { part, error: live ? error : undefined, follows: end === undefined, show };
}
