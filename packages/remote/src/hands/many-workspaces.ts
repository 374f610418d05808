import type { EventListener } from '@synapse/hands';
import { SEVERAL, type OpenWorkspace, type ServedWorkspaces } from './served-workspaces.ts';

/** What {@link ManyWorkspaces} needs. */
export interface ManyWorkspacesOptions {
  /** The paths of the workspaces that are served now, by name. */
  readonly places: () => ReadonlyMap<string, string>;
  /** The workspace of calls that name none, where no device is paired. */
  readonly home?: string | undefined;
  readonly open: (root: string, name: string) => Promise<OpenWorkspace>;
}

/** Several workspaces of a machine. Each is opened for its first call. */
export class ManyWorkspaces implements ServedWorkspaces, AsyncDisposable {
  readonly records = SEVERAL;
  readonly #options: ManyWorkspacesOptions;
  /** By path: a workspace that gets another name stays the same. */
  readonly #opening = new Map<string, Promise<OpenWorkspace>>();
  readonly #opened = new Map<string, OpenWorkspace>();
  /** The paths of all names so far. Jobs of a workspace that is not granted any more still have to end. */
  readonly #known = new Map<string, Set<string>>();
  readonly #listeners = new Set<EventListener>();

  constructor(options: ManyWorkspacesOptions) {
    this.#options = options;
  }

  get shown(): string {
    return this.names().join(', ') || 'no workspace';
  }

  names(): readonly string[] {
    return [...this.#options.places().keys()];
  }

  rootOf(name = this.#options.home): string | undefined {
    return name === undefined ? undefined : this.#options.places().get(name);
  }

  find(name: string | undefined): OpenWorkspace | undefined {
    const root = this.rootOf(name);
    return root === undefined ? undefined : this.#opened.get(root);
  }

  async open(name = this.#options.home): Promise<OpenWorkspace | undefined> {
    const root = this.rootOf(name);
    if (root === undefined || name === undefined) return undefined;
    this.#known.set(name, (this.#known.get(name) ?? new Set()).add(root));
    const opening = this.#opening.get(root) ?? this.#begin(root, name);
    return await opening;
  }

  #begin(root: string, name: string): Promise<OpenWorkspace> {
    const work = async (): Promise<OpenWorkspace> => {
      try {
        const opened = await this.#options.open(root, name);
        this.#opened.set(root, opened);
        opened.hands.subscribe((event) => {
          for (const listener of this.#listeners) listener(event);
        });
        return opened;
      } catch (error) {
        // Its folder may come back.
        this.#opening.delete(root);
        throw error;
      }
    };
    const opening = work();
    this.#opening.set(root, opening);
    return opening;
  }

  opened(names?: readonly string[]): readonly OpenWorkspace[] {
    if (names === undefined) return [...this.#opened.values()];
    const roots = new Set(names.flatMap((name) => [...(this.#known.get(name) ?? [])]));
    return [...this.#opened].flatMap(([root, opened]) => (roots.has(root) ? [opened] : []));
  }

  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#opening.values());
    await Promise.all(opened.map(async (one) => one.status === 'fulfilled' && (await one.value[Symbol.asyncDispose]())));
  }
}
