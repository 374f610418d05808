import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { isTyping } from '../parts/is-typing.ts';
import { store } from '../state/store.ts';
import { findAll, type Searched } from './find-all.ts';

const NOTHING: Pick<Searched, 'tools' | 'changes'> = { tools: [], changes: [] };

/** Opens the search by `s`, where nothing is typed into, and by Ctrl+K. */
function useShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isKey =
        event.key.toLowerCase() === 'k' ? event.ctrlKey || event.metaKey : event.key === 's' && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isKey || event.repeat || (event.key === 's' && isTyping(event.target))) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

interface HitsProps {
  readonly found: ReturnType<typeof findAll>;
  /** Index of the one that Enter opens. */
  readonly at: number;
  readonly onGo: (href: string) => void;
}

function Hits({ found, at, onGo }: HitsProps) {
  return (
    <ul class="hits">
      {found.map(({ group, title, detail, href }, index) => (
        <li key={`${group} ${href} ${title}`}>
          {group !== found[index - 1]?.group && <p class="hit-group muted">{group}</p>}
          <a
            href={href}
            class={index === at ? 'hit hit-at' : 'hit'}
            onClick={(event) => {
              event.preventDefault();
              onGo(href);
            }}
          >
            <span class="strong">{visible(title)}</span> <span class="muted ellipsis">{visible(detail)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Searches everything: opened by a button, by `s`, or by Ctrl+K. */
export function SearchBox() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState(NOTHING);
  const [at, setAt] = useState(0);
  const found = useMemo(() => findAll(text, { ...asked, calls: store.state.calls, runs: store.state.runs }), [text, asked]);
  const open = (): void => {
    if (dialog.current?.open === true) return;
    dialog.current?.showModal();
    setAt(0);
    const ask = async (): Promise<void> => {
      const [tools, changes] = await Promise.all([line.request('tools.list', {}), line.request('changes.sessions', {})]);
      setAsked({ tools, changes });
    };
    // Without a connection, what the page has is searched.
    ask().catch(() => setAsked(NOTHING));
  };
  useShortcut(open);
  const go = (href: string): void => {
    dialog.current?.close();
    setText('');
    location.hash = href;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) setAt((before) => Math.max(0, Math.min(found.length - 1, before + by)));
    else if (event.key === 'Enter' && found[at] !== undefined) go(found[at].href);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <button type="button" class="button quiet" title="Search everything (S)" onClick={open}>
        <Icon name="search" />
        <span class="visually-hidden">Search everything</span>
        <kbd class="wide-only" aria-hidden="true">
          S
        </kbd>
      </button>
      <dialog
        ref={dialog}
        class="search-dialog"
        aria-label="Search everything"
        onClick={({ target }) => target === dialog.current && dialog.current?.close()}
      >
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label="Calls, files, runs, tools"
            placeholder="Calls, changed files, runs, tools"
            value={text}
            onInput={({ currentTarget: { value } }) => (setText(value), setAt(0))}
            onKeyDown={onKeyDown}
          />
        </div>
        {text.trim() !== '' && found.length === 0 && <p class="muted hit-none">Nothing found.</p>}
        <Hits found={found} at={at} onGo={go} />
      </dialog>
    </>
  );
}
