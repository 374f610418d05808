import { displayPath } from '../workspace/byte-name.ts';
import { placesOf } from '../workspace/changes/step.ts';
import type { JournalEntry } from './journal-database.ts';

/** A selected call that an undo leaves as it is. */
export interface LeftCall {
  readonly call: string;
  readonly tool: string;
  /** Why it cannot be undone, as sentences. */
  readonly reason: string;
}

/** A call that cannot be undone, and why. */
export type UndoProblem = Pick<LeftCall, 'call' | 'reason'>;

/** The calls that can be undone, and those that cannot. */
export interface UndoableCalls {
  /** Newest first. */
  readonly entries: readonly JournalEntry[];
  readonly left: readonly LeftCall[];
}

/** The places of an entry on which older calls build. A folder that was only created or removed does not count: what is in it may go or stay. */
function placesOfEntry({ steps }: JournalEntry): string[] {
  return steps
    .filter((step) => step.kind === 'move' || step.swap !== undefined || (step.before ?? step.after)?.type !== 'folder')
    .flatMap(placesOf)
    .map(displayPath);
}

/** The places that must stay, with the call that they stay for. */
class HeldPlaces {
  readonly #at = new Map<string, string>();
  readonly #below = new Map<string, string>();

  add(place: string, call: string): void {
    this.#at.set(place, call);
    for (let slash = place.lastIndexOf('/'); slash > 0; slash = place.lastIndexOf('/', slash - 1)) this.#below.set(place.slice(0, slash), call);
  }

  /** The call that holds a place, a folder around it, or something in it. */
  holder(place: string): string | undefined {
    const here = this.#at.get(place) ?? this.#below.get(place);
    if (here !== undefined) return here;
    for (let slash = place.lastIndexOf('/'); slash > 0; slash = place.lastIndexOf('/', slash - 1)) {
      const above = this.#at.get(place.slice(0, slash));
      if (above !== undefined) return above;
    }
    return undefined;
  }
}

/**
 * Leaves out the calls that cannot be undone, and older ones that changed the same places: these cannot be restored below a change that
 * stays. The others can be undone without them.
 *
 * @param entries newest first
 * @param problemsOf finds what prevents the undo of entries; called again after calls were left out
 */
export async function undoableCalls(
  entries: readonly JournalEntry[],
  problemsOf: (entries: readonly JournalEntry[]) => Promise<readonly UndoProblem[]>,
): Promise<UndoableCalls> {
  const reasons = new Map<string, string>();
  let rest = entries;
  while (rest.length > 0) {
    const problems = await problemsOf(rest);
    if (problems.length === 0) break;
    for (const { call, reason } of problems) reasons.set(call, reasons.get(call) ?? reason);
    const held = new HeldPlaces();
    for (const entry of entries) {
      if (!reasons.has(entry.call)) {
        const holder = placesOfEntry(entry)
          .map((place) => held.holder(place))
          .find((call) => call !== undefined);
        if (holder !== undefined) reasons.set(entry.call, `The later call ${holder} changed the same place, and stays.`);
      }
      if (reasons.has(entry.call)) for (const place of placesOfEntry(entry)) held.add(place, entry.call);
    }
    rest = entries.filter(({ call }) => !reasons.has(call));
  }
  const tools = new Map(entries.map(({ call, tool }) => [call, tool]));
  return { entries: rest, left: Array.from(reasons, ([call, reason]) => ({ call, tool: tools.get(call) ?? '', reason })) };
}
