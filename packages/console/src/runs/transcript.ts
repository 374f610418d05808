import type { ConsoleEntry, ConsoleTranscript } from '@synapse/protocol/console';

/** Maximum number of entries, characters of one text, and characters of all together. Older entries are dropped; the session keeps them. */
const MAX_ENTRIES = 20_000;
const MAX_TEXT = 60_000;
const MAX_TOTAL = 8_000_000;
/** Entries in one part. */
const PART = 200;

type Text = Extract<ConsoleEntry, { kind: 'text' }>;
type Call = Extract<ConsoleEntry, { kind: 'call' }>;
/** An entry without its position. */
type Given = { [Kind in ConsoleEntry['kind']]: Omit<Extract<ConsoleEntry, { kind: Kind }>, 'n'> }[ConsoleEntry['kind']];

function bounded(text: string): Pick<Text, 'text' | 'cut'> {
  return text.length <= MAX_TEXT ? { text } : { text: text.slice(0, MAX_TEXT).toWellFormed(), cut: text.length - MAX_TEXT };
}

const lengthOf = (entry: ConsoleEntry | undefined): number => (entry?.kind === 'text' ? entry.text.length : 0);

/** What happened in a run, in order. Each entry has the revision of its last change, so that a page receives only what is new. */
export class Transcript {
  #entries: { entry: ConsoleEntry; revision: number }[] = [];
  #first = 0;
  #revision: number;
  #characters = 0;
  readonly #calls = new Map<string, number>();

  /** @param revision a revision that no page has seen */
  constructor(revision = 0) {
    this.#revision = revision;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Adds an entry and returns its position. */
  add(given: Given): number {
    this.#endText();
    const n = this.#first + this.#entries.length;
    const entry: ConsoleEntry = given.kind === 'text' ? { ...given, ...bounded(given.text), n } : { ...given, n };
    this.#revision += 1;
    this.#entries.push({ entry, revision: this.#revision });
    this.#characters += lengthOf(entry);
    if (entry.kind === 'call') this.#calls.set(entry.call, n);
    this.#forget();
    return n;
  }

  /** Adds a piece of streamed text. */
  stream(from: 'model' | 'thought', piece: string): void {
    const last = this.#entries.at(-1)?.entry;
    if (last?.kind !== 'text' || last.state !== 'streaming' || last.from !== from) {
      this.add({ kind: 'text', from, text: piece, state: 'streaming' });
      return;
    }
    const { text, cut = 0 } = bounded(last.text + piece);
    this.#replace(last.n, { ...last, text, ...(cut + (last.cut ?? 0) === 0 ? {} : { cut: cut + (last.cut ?? 0) }) });
  }

  /** Takes back the text that is being streamed: the model starts the turn again. */
  retract(): void {
    const last = this.#entries.at(-1)?.entry;
    if (last?.kind !== 'text' || last.state !== 'streaming') return;
    this.#replace(last.n, { kind: 'note', n: last.n, text: 'The answer broke off.' });
  }

  /** Changes the entry of a call. */
  endCall(call: string, change: Partial<Omit<Call, 'kind' | 'n' | 'call'>>): void {
    const n = this.#calls.get(call);
    const entry = n === undefined ? undefined : this.#at(n);
    if (entry?.kind === 'call') this.#replace(entry.n, { ...entry, ...change });
  }

  /** Ends the text that is being streamed, and marks what never ended. */
  close(): void {
    this.#endText();
    for (const { entry } of this.#entries) {
      if (entry.kind === 'call' && entry.status === 'running') this.#replace(entry.n, { ...entry, status: 'interrupted' });
    }
  }

  /** Marks queued messages of the user as read by the model. */
  taken(positions: readonly number[]): void {
    for (const n of positions) {
      const entry = this.#at(n);
      if (entry?.kind !== 'text') continue;
      const { state: _, ...rest } = entry;
      this.#replace(n, rest);
    }
  }

  /** Returns a part that ends before a position, without entries that did not change since a revision. */
  part(end: number | undefined, since = 0): ConsoleTranscript {
    const last = this.#first + this.#entries.length;
    const to = Math.max(this.#first, Math.min(last, end ?? last));
    const from = Math.max(this.#first, to - PART);
    const entries = this.#entries
      .slice(from - this.#first, to - this.#first)
      .filter(({ revision }) => revision > since)
      .map(({ entry }) => entry);
    return { entries, from, to, first: this.#first, last, revision: this.#revision };
  }

  #at(n: number): ConsoleEntry | undefined {
    return this.#entries[n - this.#first]?.entry;
  }

  #replace(n: number, entry: ConsoleEntry): void {
    const index = n - this.#first;
    const before = this.#entries[index];
    if (before === undefined) return;
    this.#revision += 1;
    this.#characters += lengthOf(entry) - lengthOf(before.entry);
    this.#entries[index] = { entry, revision: this.#revision };
  }

  #endText(): void {
    const last = this.#entries.at(-1)?.entry;
    if (last?.kind !== 'text' || last.state !== 'streaming') return;
    const { state: _, ...rest } = last;
    this.#replace(last.n, rest);
  }

  #forget(): void {
    if (this.#entries.length <= MAX_ENTRIES && this.#characters <= MAX_TOTAL) return;
    // Drops a tenth at once, so that not every entry moves all others.
    const gone = this.#entries.splice(0, Math.ceil(this.#entries.length / 10));
    this.#first += gone.length;
    for (const { entry } of gone) {
      this.#characters -= lengthOf(entry);
      if (entry.kind === 'call') this.#calls.delete(entry.call);
    }
  }
}
