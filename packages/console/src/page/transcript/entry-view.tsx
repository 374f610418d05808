import type { ConsoleEntry } from '@synapse/protocol/console';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Changes } from '../diff/diff.tsx';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Code } from '../parts/code.tsx';
import { duration, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';

type EntryOf<Kind extends ConsoleEntry['kind']> = Extract<ConsoleEntry, { kind: Kind }>;

const SPEAKERS: Readonly<Record<EntryOf<'text'>['from'], string>> = { user: 'You', model: 'Model', thought: 'Thought' };
const STATUS: Readonly<Record<EntryOf<'call'>['status'], { readonly tone: string; readonly word: string }>> = {
  running: { tone: 'busy', word: 'running' },
  ok: { tone: 'good', word: 'ok' },
  failed: { tone: 'bad', word: 'failed' },
  interrupted: { tone: 'warn', word: 'interrupted' },
};

function Said({ entry: { from, text, state, cut } }: { readonly entry: EntryOf<'text'> }) {
  const left = cut !== undefined && <p class="muted">{`${cut.toLocaleString('en')} more characters are not shown.`}</p>;
  if (from === 'thought') {
    return (
      <details class="thought">
        <summary>{SPEAKERS[from]}</summary>
        <p class="plain-text">{visible(text)}</p>
        {left}
      </details>
    );
  }
  return (
    <div class={`said-by said-by-${from}`}>
      <p class="speaker">
        {SPEAKERS[from]}
        {state === 'queued' && <span class="muted"> · waits for the next turn</span>}
      </p>
      {from === 'user' ? <p class="plain-text">{visible(text)}</p> : <Markdown text={text} />}
      {state === 'streaming' && <span class="caret" aria-hidden="true" />}
      {left}
    </div>
  );
}

/** Folds what is below something more important. */
function Fold({ title, children }: { readonly title: string | undefined; readonly children: ComponentChildren }) {
  if (title === undefined) return <>{children}</>;
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** What a call changed and answered. Requested only when it is unfolded. */
export function CallBody({ entry: { n, call, tool, status } }: { readonly entry: Pick<EntryOf<'call'>, 'n' | 'call' | 'tool' | 'status'> }) {
  const { value, error } = useRequest('calls.get', { call }, status);
  const progress = useStore((state) => state.progress)[call];
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <Loading />;
  // Each region of a page needs a name of its own.
  const name = `${tool}, entry ${n + 1}`;
  const said = value.error ?? value.output ?? progress;
  return (
    <div class="call-body">
      <Changes changes={value.changes} by={name} />
      {value.changes.length === 0 && (
        <details>
          <summary>Input</summary>
          <Code text={value.input} label={`Input of ${name}`} />
        </details>
      )}
      <Fold title={value.changes.length === 0 ? undefined : 'Output'}>
        {said === undefined || said === '' ? (
          <p class="muted">{said === '' ? 'It said nothing.' : 'No output is kept.'}</p>
        ) : (
          <Code text={said} label={`Output of ${name}`} />
        )}
      </Fold>
      <a href={hrefOf('calls', call)}>Open the call</a>
    </div>
  );
}

function Called({ entry }: { readonly entry: EntryOf<'call'> }) {
  const { tool, args, status, summary, ms } = entry;
  const [open, setOpen] = useState(false);
  const { tone, word } = STATUS[status];
  return (
    <details class={`called called-${status}`} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class={`dot tone-${tone}`} aria-hidden="true" />
        <span class="visually-hidden">{word}</span>
        <code class="called-tool">{visible(tool)}</code>
        <code class="called-args">{visible(args)}</code>
        <span class="muted called-ms">{status === 'running' ? word : duration(ms)}</span>
        {summary !== undefined && status !== 'ok' && <span class="called-summary">{visible(summary)}</span>}
      </summary>
      {open && <CallBody entry={entry} />}
    </details>
  );
}

function Shown({ entry }: { readonly entry: ConsoleEntry }) {
  switch (entry.kind) {
    case 'text':
      return <Said entry={entry} />;
    case 'call':
      return <Called entry={entry} />;
    case 'step':
      return <p class="reached">{visible(`Step ${entry.index}/${entry.total}: ${entry.title}`)}</p>;
    case 'note':
      return <p class="muted">{visible(entry.text)}</p>;
    default:
      return entry satisfies never;
  }
}

/** An entry of a transcript. Rendered again only when it changes. */
export function EntryView({ entry }: { readonly entry: ConsoleEntry }) {
  return useMemo(
    () => (
      <li class="entry">
        <Shown entry={entry} />
      </li>
    ),
    [entry],
  );
}
