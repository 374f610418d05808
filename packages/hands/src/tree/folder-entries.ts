import type { KnownEntry } from './hash-entry.ts';

/**
 * The entries of a folder by name. Keeps the order of names, so that a change of one entry does not sort all of them again: it is mostly
 * deleted and then set.
 */
export class FolderEntries extends Map<string, KnownEntry> {
  /** All names in order, with those that were deleted since; undefined if others came since. */
  #order: readonly string[] | undefined;
  readonly #deleted = new Set<string>();

  override set(name: string, entry: KnownEntry): this {
    if (this.#order !== undefined && !this.has(name) && !this.#deleted.delete(name)) this.#order = undefined;
    return super.set(name, entry);
  }

  override delete(name: string): boolean {
    const was = super.delete(name);
    if (was && this.#order !== undefined) this.#deleted.add(name);
    return was;
  }

  /** The names in the order of a listing. */
  names(): readonly string[] {
    if (this.#order === undefined) this.#order = [...this.keys()].toSorted();
    else if (this.#deleted.size > 0) this.#order = this.#order.filter((name) => !this.#deleted.has(name));
    this.#deleted.clear();
    return this.#order;
  }
}
