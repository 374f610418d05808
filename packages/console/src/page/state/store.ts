import { useEffect, useState } from 'preact/hooks';
import { reduce, type Action } from './reduce.ts';
import { FIRST_STATE, type State } from './state.ts';

/** The state of the page and its subscribers. */
export class Store {
  #state: State = FIRST_STATE;
  readonly #listeners = new Set<() => void>();
  #painting = false;

  get state(): State {
    return this.#state;
  }

  /** Applies an action. Actions within one animation frame are rendered once. */
  dispatch(action: Action): void {
    const next = reduce(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    if (this.#painting) return;
    this.#painting = true;
    requestAnimationFrame(() => {
      this.#painting = false;
      for (const listener of this.#listeners) listener();
    });
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export const store = new Store();

/** Returns a part of the state; the component rerenders when it changes. */
export function useStore<Part>(select: (state: State) => Part): Part {
  const [part, setPart] = useState(() => select(store.state));
  useEffect(() => {
    const look = (): void => setPart(() => select(store.state));
    look();
    return store.subscribe(look);
    // The selectors of this page are constant.
  }, []);
  return part;
}
