import type { HandsEvent } from '@synapse/protocol/remote';

/** Maximum number of reads of a party that wait. Brains repeat those that are not answered. */
const MAX_READS = 16;
/** Maximum number of results that a party waits for: more calls than a relay keeps for a session. */
const MAX_LOADS = 1_024;

/** What is to be answered to one party. */
interface Waiting {
  /** Calls whose results were asked for. */
  readonly loads: Set<string>;
  readonly reads: Array<Iterator<HandsEvent>>;
}

/**
 * The answers that parties asked for, to be given as far as the line has room. Requests are short and answers long: all at once, those of
 * one brain would fill the line of the machine and end it for all.
 */
export class PacedAnswers {
  /** By party. The next one to answer is the first. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #load: (id: string) => HandsEvent | undefined;

  /** @param load returns the result of a call that has ended */
  constructor(load: (id: string) => HandsEvent | undefined) {
    this.#load = load;
  }

  #of(party: string): Waiting {
    const known = this.#waiting.get(party) ?? { loads: new Set(), reads: [] };
    this.#waiting.set(party, known);
    return known;
  }

  addLoad(party: string, id: string): void {
    const { loads } = this.#of(party);
    if (loads.size < MAX_LOADS) loads.add(id);
  }

  addRead(party: string, answers: Iterator<HandsEvent>): void {
    const { reads } = this.#of(party);
    if (reads.length < MAX_READS) reads.push(answers);
  }

  /** Returns the next answer, of each party in turn; undefined if nothing waits. */
  next(): HandsEvent | undefined {
    for (const [party, waiting] of this.#waiting) {
      this.#waiting.delete(party);
      const made = this.#nextOf(waiting);
      if (waiting.loads.size + waiting.reads.length > 0) this.#waiting.set(party, waiting);
      if (made !== undefined) return made;
    }
    return undefined;
  }

  #nextOf({ loads, reads }: Waiting): HandsEvent | undefined {
    for (const id of loads) {
      loads.delete(id);
      const made = this.#load(id);
      if (made !== undefined) return made;
    }
    for (let read = reads[0]; read !== undefined; read = reads[0]) {
      const { value, done } = read.next();
      if (done !== true) return value;
      reads.shift();
    }
    return undefined;
  }
}
