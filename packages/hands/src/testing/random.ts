/** Random choices that a seed repeats (Park–Miller). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(end: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % end;
  }

  of<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  isIn(hundred: number): boolean {
    return this.below(100) < hundred;
  }

  /** The items in another order. */
  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.below(2_147_483_646) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ item }) => item);
  }
}
