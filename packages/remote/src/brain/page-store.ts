import type { BrainStore } from './brain-store.ts';

/** The name of the object store in the database. */
const CALLS = 'calls';

/** The parts of IndexedDB that are used. Not the types of browsers, which this package must not need. */
interface Waits<Value> {
  readonly result: Value;
  readonly error: Error | null;
  addEventListener(type: 'success' | 'error' | 'upgradeneeded', listener: () => void): void;
}
interface Calls {
  put(text: string, id: string): unknown;
  delete(id: string): unknown;
  getAllKeys(): Waits<readonly unknown[]>;
  getAll(): Waits<readonly unknown[]>;
}
interface Work {
  readonly error: Error | null;
  objectStore(name: string): Calls;
  addEventListener(type: 'complete' | 'abort' | 'error', listener: () => void): void;
}
interface Database {
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: 'readonly' | 'readwrite', options: { readonly durability: 'strict' }): Work;
  close(): void;
}
interface Databases {
  open(name: string, version: number): Waits<Database>;
}

/** Waits for a request. @param refused what to say if it fails without a reason */
function settled<Value>(request: Waits<Value>, refused: string): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  request.addEventListener('success', () => resolve(request.result));
  request.addEventListener('error', () => reject(request.error ?? new Error(refused)));
  return promise;
}

function opened(name: string): Promise<Database> {
  const { indexedDB } = globalThis as { readonly indexedDB?: Databases };
  if (indexedDB === undefined) return Promise.reject(new Error('This runtime has no IndexedDB.'));
  const opening = indexedDB.open(name, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(CALLS));
  return settled(opening, 'The database cannot be opened.');
}

/**
 * Keeps the open calls of an agent in a web page, in IndexedDB, for {@link BrainOptions.store}. Scripts of the page's origin can read it: it has what
 * calls were given, and results. Each agent has a name of its own. Two tabs with one name would answer each other's calls.
 *
 * @param name of the database
 * @example
 * using store = pageStore('agent-calls');
 * await using hands = connectHands('wss://relay.example#laptop', { credentials, store });
 * for (const { callId } of await hands.openCalls()) console.log((await hands.resume(callId)).output);
 */
export function pageStore(name: string): BrainStore & Disposable {
  const database = opened(name);
  // Told by the first method that is called.
  database.catch(() => {});
  /** Settles when the work is on the disk, not when it was done in memory. */
  const work = async <Value>(mode: 'readonly' | 'readwrite', use: (calls: Calls) => Value): Promise<Value> => {
    const made = (await database).transaction(CALLS, mode, { durability: 'strict' });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    made.addEventListener('complete', () => resolve());
    for (const type of ['abort', 'error'] as const)
      made.addEventListener(type, () => reject(made.error ?? new Error('The browser refused to keep a call.')));
    const value = use(made.objectStore(CALLS));
    await promise;
    return value;
  };
  return {
    load: async () => {
      const [ids, texts] = await work('readonly', (calls) => [calls.getAllKeys(), calls.getAll()] as const);
      return new Map(ids.result.map((id, index) => [String(id), String(texts.result[index])]));
    },
    put: async (id, text) => void (await work('readwrite', (calls) => calls.put(text, id))),
    delete: async (id) => void (await work('readwrite', (calls) => calls.delete(id))),
    [Symbol.dispose]: () =>
      void database.then(
        (one) => one.close(),
        () => {},
      ),
  };
}
