import { join, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';

/** The tree that results from an upper folder over a lower one, as far as the upper was read. */
export class OverlayView implements TreeView {
  readonly #upper: TreeView;
  readonly #lower: TreeView;
  readonly #whole = new Set<string>();
  #standing = new Map<string, boolean>([['', true]]);

  constructor(upper: TreeView, lower: TreeView) {
    this.#upper = upper;
    this.#lower = lower;
  }

  /** Records that a folder hides all of the lower one. */
  addWhole(path: string): void {
    this.#whole.add(path);
    this.#standing = new Map([['', true]]);
  }

  readonly type = (path: string): EntryType | undefined => {
    const type = this.#upper.type(path);
    // The kernel marks a deleted name with a device. Commands cannot create other devices.
    if (type === 'other') return undefined;
    return type ?? (this.#stands(parentOf(path)) ? this.#lower.type(path) : undefined);
  };

  readonly readText = (path: string, maxBytes: number): string | undefined => {
    if (this.#upper.type(path) !== undefined) return this.#upper.readText(path, maxBytes);
    return this.#stands(parentOf(path)) ? this.#lower.readText(path, maxBytes) : undefined;
  };

  readonly linkText = (path: string): string | undefined => {
    if (this.#upper.type(path) !== undefined) return this.#upper.linkText(path);
    return this.#stands(parentOf(path)) ? this.#lower.linkText(path) : undefined;
  };

  readonly names = (path: string): readonly string[] | undefined => {
    if (this.type(path) !== 'folder') return undefined;
    const lower = this.#stands(path) ? (this.#lower.names(path) ?? []) : [];
    const all = new Set([...lower, ...(this.#upper.names(path) ?? [])]);
    return [...all].filter((name) => this.type(join(path, name)) !== undefined);
  };

  /** Whether the lower layer of a folder is still visible. */
  #stands(folder: string): boolean {
    const known = this.#standing.get(folder);
    if (known !== undefined) return known;
    const own = this.#upper.type(folder);
    const stands = !this.#whole.has(folder) && (own === undefined || own === 'folder') && this.#stands(parentOf(folder));
    this.#standing.set(folder, stands);
    return stands;
  }
}
