import type { ConsoleChange, ConsoleLine } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
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
function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/u, '').split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@'));
  return (start === -1 ? lines : lines.slice(start)).map((line) => ({ kind: KINDS[line.charAt(0)] ?? 'same', text: line }));
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

export function RequestLines({ lines, label }: { readonly lines: readonly ConsoleLine[]; readonly label: string }) {
  return lines.length === 0 ? null : <Lines lines={lines} label={label} />;
}

const TONES: Readonly<Record<ConsoleChange['kind'], Tone>> = { created: 'good', changed: 'plain', deleted: 'bad', moved: 'warn' };

/** The change to a file. */
export function Change({ change: { kind, path, from, diff, note, current } }: { readonly change: ConsoleChange }) {
  const name = visible(from === undefined ? path : `${from} → ${path}`);
  return (
    <article class="change">
      <div class="change-head">
        <Badge tone={TONES[kind]}>{kind}</Badge>
        <code>{name}</code>
        {current === false && <span class="muted">changed since</span>}
        {note !== undefined && <span class="muted">{visible(note)}</span>}
      </div>
      {diff !== undefined && diff !== '' && <Lines lines={diffLines(diff)} label={`Difference of ${name}`} />}
    </article>
  );
}

export function Changes({ changes }: { readonly changes: readonly ConsoleChange[] }) {
  return (
    <div class="changes">
      {changes.map((change) => (
        <Change key={`${change.kind} ${change.path}`} change={change} />
      ))}
    </div>
  );
}
