import { useEffect, useRef } from 'preact/hooks';
import { go } from '../link/route.ts';
import { visible } from '../parts/format.ts';
import { useStore } from '../state/store.ts';
import { headlineOf, newQuestions, tabTitle } from './new-questions.ts';

/** Characters of a question in a notification. */
const MAX_TEXT = 200;

const ICONS = { calm: '/icon.svg', asks: '/icon-asks.svg' } as const;

function setIcon(href: string): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link !== null && link.getAttribute('href') !== href) link.setAttribute('href', href);
}

function notify(id: string, title: string, body: string): Notification | undefined {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return undefined;
  try {
    const notification = new Notification(title, { body: body.slice(0, MAX_TEXT), tag: id, icon: ICONS.asks });
    notification.addEventListener('click', () => {
      focus();
      go('approvals');
      notification.close();
    });
    return notification;
  } catch {
    // Some browsers allow notifications of service workers only.
    return undefined;
  }
}

/** Counts the open questions in the title and the icon of the tab, and notifies of each new one while the user looks elsewhere. */
export function useNotices(): void {
  const approvals = useStore((state) => state.approvals);
  const project = useStore((state) => state.project);
  const known = useRef(new Set<string>());
  const shown = useRef(new Map<string, Notification>());
  useEffect(() => {
    document.title = tabTitle(approvals.length, visible(project));
    setIcon(approvals.length === 0 ? ICONS.calm : ICONS.asks);
    for (const question of newQuestions(known.current, approvals)) {
      if (document.hasFocus()) continue;
      const notification = notify(question.id, 'Synapse waits for your answer', visible(headlineOf(question)));
      if (notification !== undefined) shown.current.set(question.id, notification);
    }
    known.current = new Set(approvals.map(({ id }) => id));
    // An answered question needs no attention.
    for (const [id, notification] of shown.current) {
      if (known.current.has(id)) continue;
      notification.close();
      shown.current.delete(id);
    }
  }, [approvals, project]);
}
