import type { Name } from '../workspace/byte-name.ts';
import { inodeIn, isSwap, loadPath, type SetStep, type Step, type SwapStep } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';

/** Where an entry of the past is found today. */
export type PastSource =
  /** In the workspace, perhaps under another name. */
  | { readonly kind: 'now'; readonly path: WorkspacePath }
  | { readonly kind: 'absent' }
  /** A folder that holds only what other steps say. */
  | { readonly kind: 'folder' }
  /** What a step replaced: a file, a link, or something else that is no folder. */
  | { readonly kind: 'replaced'; readonly step: SetStep }
  /** In a folder that a step replaced as a whole. */
  | {
      readonly kind: 'kept';
      readonly step: SwapStep;
      readonly below: WorkspacePath;
    };

const ABSENT: PastSource = { kind: 'absent' };

/** What steps say of a place. Without a source, it is as its folder says. */
interface Node {
  readonly name: Name;
  source?: PastSource;
  children: Map<string, Node>;
}

const keyOf = (name: Name): string => bytePath([name]);

/** The source of an entry in a folder that has this source. */
function below(folder: PastSource, name: Name): PastSource {
  if (folder.kind === 'now') return { kind: 'now', path: [...folder.path, name] };
  if (folder.kind === 'kept') return { ...folder, below: [...folder.below, name] };
  return ABSENT;
}

/** The workspace before some steps: of each entry, where it is found today. Touches no file. */
export class PastTree {
  readonly #root: Node = { name: '', source: { kind: 'now', path: [] }, children: new Map() };
  /** What an entry was when a later step replaced it as a whole: an earlier step may have put aside the same entry. */
  readonly #seen = new Map<string, Omit<Node, 'name'>>();

  /** @param steps newest first */
  constructor(steps: Iterable<Step>) {
    for (const step of steps) this.#takeBack(step);
  }

  sourceOf(path: WorkspacePath): PastSource {
    let node: Node | undefined = this.#root;
    let source = this.#root.source ?? ABSENT;
    for (const name of path) {
      node = node?.children.get(keyOf(name));
      source = node?.source ?? below(source, name);
    }
    return source;
  }

  /** The entries of a folder of which steps say something; the others are as its source says. */
  named(folder: WorkspacePath): Name[] {
    return [...(this.#find(folder)?.children.values() ?? [])].map(({ name }) => name);
  }

  /** The places of which steps say something, outer ones first. */
  *places(folder: WorkspacePath = []): Generator<WorkspacePath> {
    for (const { name, source } of this.#find(folder)?.children.values() ?? []) {
      const path = [...folder, name];
      if (source !== undefined) yield path;
      yield* this.places(path);
    }
  }

  #find(path: WorkspacePath): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path) node = node?.children.get(keyOf(name));
    return node;
  }

  #make(path: WorkspacePath): Node {
    let node = this.#root;
    for (const name of path) {
      const found: Node = node.children.get(keyOf(name)) ?? { name, children: new Map() };
      node.children.set(keyOf(name), found);
      node = found;
    }
    return node;
  }

  #put(path: WorkspacePath, { source, children }: Omit<Node, 'name'>): void {
    Object.assign(this.#make(path), { source, children });
  }

  /** What is at a place at the time of the step that is taken back. */
  #stateAt(path: WorkspacePath): Omit<Node, 'name'> {
    return { source: this.sourceOf(path), children: this.#find(path)?.children ?? new Map() };
  }

  #takeBack(step: Step): void {
    if (step.kind === 'move') {
      const state = this.#stateAt(loadPath(step.to));
      this.#put(loadPath(step.to), { source: ABSENT, children: new Map() });
      this.#put(loadPath(step.from), state);
      return;
    }
    const path = loadPath(step.path);
    const { before } = step;
    const after = isSwap(step) ? inodeIn(step.after) : undefined;
    if (after !== undefined) this.#seen.set(after, this.#stateAt(path));
    // Only the mode of the folder changed.
    if (before?.type === 'folder' && step.after?.type === 'folder' && !isSwap(step)) return;
    this.#put(path, this.#stateBefore(step));
  }

  #stateBefore(step: SetStep): Omit<Node, 'name'> {
    const children = new Map<string, Node>();
    if (step.before === null) return { source: ABSENT, children };
    const inode = isSwap(step) ? inodeIn(step.before) : undefined;
    const seen = inode === undefined ? undefined : this.#seen.get(inode);
    if (seen !== undefined) return seen;
    if (step.before.type !== 'folder') return { source: { kind: 'replaced', step }, children };
    return { source: isSwap(step) ? { kind: 'kept', step, below: [] } : { kind: 'folder' }, children };
  }
}
