import type { ConsoleChange, ConsoleLine } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { hrefOf } from '../link/places.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { count, visible } from '../parts/format.ts';

/** The kind of a line in a unified diff. */
type DiffKind = 'added' | 'removed' | 'place' | 'same';

interface DiffLine {
  readonly kind: DiffKind;
  readonly text: string;
}

const KINDS: Readonly<Record<string, DiffKind>> = { '+': 'added', '-': 'removed', '@': 'place' };

/** Returns the lines of a unified diff without the file names, which are shown above it. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/u, '').split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  const content = start === -1 ? lines.filter((line) => !HEADER.test(line)) : lines.slice(start);
  return content.map((line) => ({ kind: KINDS[line.charAt(0)] ?? 'same', text: line }));
}

/** Maximum lines of one diff to render at first. */
const MAX_LINES = 2_000;

/** Lines with added and removed ones. The sign marks them in addition to the color. */
export function Lines({ lines, label }: { readonly lines: ReadonlyArray<{ readonly kind: string; readonly text: string }>; readonly label: string }) {
  const [all, setAll] = useState(false);
  return (
    <div class="diff" role="region" tabIndex={0} aria-label={label}>
      {(all ? lines : lines.slice(0, MAX_LINES)).map(({ kind, text }, index) => (
        <div key={index} class={`diff-line diff-${kind}`}>
          {visible(text) || ' '}
        </div>
      ))}
      {!all && lines.length > MAX_LINES && (
        <button type="button" class="button small" onClick={() => setAll(true)}>
          {`Show ${count(lines.length - MAX_LINES, 'more line')}`}
        </button>
      )}
    </div>
  );
}

/** The names of files above a difference, which are no content. */
const HEADER = /^(?:---|\+\+\+) (?:[ab]\/|\/dev\/null)/u;

export function RequestLines({ lines, label }: { readonly lines: readonly ConsoleLine[]; readonly label: string }) {
  const shown = lines.map(({ kind, text }) => ({ text, kind: kind !== 'plain' && HEADER.test(text) ? 'place' : kind }));
  return lines.length === 0 ? null : <Lines lines={shown} label={label} />;
}

const TONES: Readonly<Record<ConsoleChange['kind'], Tone>> = { created: 'good', changed: 'plain', deleted: 'bad', moved: 'warn' };

const nameOf = ({ path, from }: ConsoleChange): string => visible(from === undefined ? path : `${from} → ${path}`);

/** What was done with a file. */
export function ChangeHead({ change }: { readonly change: ConsoleChange }) {
  const { kind, note, current, diff, path } = change;
  return (
    <div class="change-head">
      <Badge tone={TONES[kind]}>{kind}</Badge>
      <code>{nameOf(change)}</code>
      {current === false && <span class="muted">changed since</span>}
      {note !== undefined && <span class="muted">{visible(note)}</span>}
      {diff !== undefined && current === true && kind !== 'deleted' && (
        <a class="small" href={hrefOf('changes', `file:${path}`)} aria-label={`Who wrote the lines of ${nameOf(change)}`}>
          Lines
        </a>
      )}
    </div>
  );
}

/** The change to a file. */
export function Change({ change, by }: { readonly change: ConsoleChange; readonly by?: string }) {
  const { diff } = change;
  const name = nameOf(change);
  return (
    <article class="change">
      <ChangeHead change={change} />
      {diff !== undefined && diff !== '' && <Lines lines={diffLines(diff)} label={`Difference of ${name}${by === undefined ? '' : ` by ${by}`}`} />}
    </article>
  );
}

/** @param by what made them, where several changes of one file are shown */
export function Changes({ changes, by }: { readonly changes: readonly ConsoleChange[]; readonly by?: string }) {
  return (
    <div class="changes">
      {changes.map((change) => (
        <Change key={`${change.kind} ${change.path}`} change={change} {...(by === undefined ? {} : { by })} />
      ))}
    </div>
  );
}
