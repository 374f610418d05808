import type { ConsoleQuestion } from '@synapse/protocol/console';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Badge } from '../parts/badge.tsx';
import { clock, visible } from '../parts/format.ts';
import { isTyping } from '../parts/is-typing.ts';
import { store } from '../state/store.ts';

const nameOf = (root: string): string => visible(root.split('/').at(-1) ?? root);

function moveFocus(from: HTMLElement, by: number): void {
  const cards = [...document.querySelectorAll<HTMLElement>('.approval')];
  cards[cards.indexOf(from) + by]?.focus();
}

/** The frame of a question. Its keys work only while it has the focus. */
export function QuestionCard({
  question: { from, project, askedAt },
  heading,
  first,
  busy,
  keys,
  children,
}: {
  readonly question: ConsoleQuestion;
  readonly heading: string;
  readonly first: boolean;
  readonly busy: boolean;
  readonly keys: Readonly<Record<string, () => void>>;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Focus the first question, unless the user is typing or another question has the focus.
    const { activeElement } = document;
    if (first && !isTyping(activeElement) && activeElement?.closest('.approval') == null) box.current?.focus();
  }, [first]);
  const onKey = (event: KeyboardEvent): void => {
    // A key that is held answers one question, not those that follow.
    if (event.repeat || isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || box.current === null) return;
    const card = box.current;
    const all: typeof keys = { ...keys, j: () => moveFocus(card, 1), k: () => moveFocus(card, -1) };
    const act = all[event.key.toLowerCase()];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <article ref={box} class="approval" tabIndex={0} aria-label={heading} aria-busy={busy} onKeyDown={onKey}>
      <header class="approval-head">
        <h2>{heading}</h2>
        {project !== store.state.project && <Badge>{nameOf(project)}</Badge>}
        {from !== 'console' && <Badge>{visible(from)}</Badge>}
        <span class="muted">{clock(askedAt)}</span>
      </header>
      {children}
    </article>
  );
}
