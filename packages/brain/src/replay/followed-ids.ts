/** Ids that a call gives, and that later calls name: jobs, changes that wait, stored outputs. */
const GIVEN = /(?:\b(?:job|c)-|\bspill:)[\da-f]{6,24}\b/gu;

/** Follows the ids that calls gave: those of a replay differ from the recorded ones. */
export class FollowedIds {
  readonly #now = new Map<string, string>();

  /** Learns the ids of a call from its answers, if both name equally many. */
  learn(recorded: string, again: string): void {
    const [before, now] = [recorded, again].map((text) => [...new Set(text.match(GIVEN) ?? [])]);
    if (before === undefined || now === undefined || before.length !== now.length) return;
    for (const [index, id] of before.entries()) {
      const other = now[index];
      if (other !== undefined && kindOf(other) === kindOf(id) && !this.#now.has(id)) this.#now.set(id, other);
    }
  }

  /** A recorded text with the ids of the replay. */
  text(recorded: string): string {
    return recorded.replace(GIVEN, (id) => this.#now.get(id) ?? id);
  }
}

const kindOf = (id: string): string => id.slice(0, id.search(/[-:]/u));

/** More than any tool takes: deeper values are refused by the pipeline, and need no change. */
const MAX_DEPTH = 100;

/** Changes all texts in a value, such as the arguments of a call. */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, depth + 1));
  // Keeps `__proto__` a field.
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapTexts(field, change, depth + 1)] as const));
}
