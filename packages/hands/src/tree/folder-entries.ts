import type { KnownEntry } from './hash-entry.ts';

/**
 * The entries of a folder by name. Keeps the order of names, so that a change of one entry does not sort all of them again: it is mostly
 * deleted and then set.
 */
export class FolderEntries extends Map<string, KnownEntry> {
  /** All names in order, with those that were deleted since; undefined if others came since. */
  #order: readonly string[] | undefined;
  #deleted: Set<string> | undefined;

  override set(name: string, entry: KnownEntry): this {
    if (this.#order !== undefined && !this.has(name) && this.#deleted?.delete(name) !== true) this.#order = undefined;
    return super.set(name, entry);
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was && this.#order !== undefined) (this.#deleted ??= new Set()).add(name);
    return was;
  }

  /** The names in the order of a listing. */
  names(): readonly string[] {
    if (this.#order === undefined) this.#order = [...this.keys()].toSorted();
    else if (this.#deleted !== undefined) this.#order = this.#order.filter((name) => this.has(name));
    this.#deleted = undefined;
    return this.#order;
  }
}
