import { count } from '../text/amounts.ts';

/** Maximum number of notices of a kind. */
const MAX_OF_A_KIND = 5;

/** The kinds that a command can make as many of as it likes without any harm, and that say least: they are shown last. */
const COMMON_KINDS: ReadonlyArray<readonly [start: string, kind: string]> = [
  ['is a link', 'links that lead out of the workspace'],
  ['does not get', 'without the rights of their owner (set-id bits)'],
];

/**
 * The notices about what a command changed. Limited for each kind: a command could otherwise make so many harmless entries that the notice
 * that matters is not shown.
 */
export class Cautions {
  readonly #kinds = new Map<string, { readonly lines: string[]; more: number }>();

  /** @param says what the notice says of the entry; also its kind, unless that is a common one */
  add(path: string, says: string): void {
    const key = COMMON_KINDS.find(([start]) => says.startsWith(start))?.[1] ?? says.replace(/^is /u, '');
    const known = this.#kinds.get(key) ?? { lines: [], more: 0 };
    this.#kinds.set(key, known);
    if (known.lines.length < MAX_OF_A_KIND) known.lines.push(`${path} ${says}`);
    else known.more += 1;
  }

  get lines(): readonly string[] {
    const isCommon = (kind: string): number => Number(COMMON_KINDS.some(([, one]) => one === kind));
    return [...this.#kinds]
      .toSorted(([one], [other]) => isCommon(one) - isCommon(other))
      .flatMap(([kind, { lines, more }]) => (more === 0 ? lines : [...lines, `${count(more, 'more entry', 'more entries')}: ${kind}`]));
  }
}
