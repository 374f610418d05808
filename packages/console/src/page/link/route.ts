import { useEffect, useState } from 'preact/hooks';
import { hrefOf, parseRoute, type Route, type ViewName } from './places.ts';

export function go(view: ViewName, id?: string): void {
  location.hash = hrefOf(view, id);
}

/** Goes to what an answer names, unless the person went elsewhere while it was on its way. */
export async function goToAnswer(view: ViewName, answer: Promise<{ readonly id: string }>): Promise<void> {
  const { hash } = location;
  const { id } = await answer;
  if (location.hash === hash) go(view, id);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const look = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return route;
}
