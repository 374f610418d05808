import type { TimeSlice } from '../events/timing.ts';
import { sameImage } from '../workspace/changes/step.ts';
import { placeOf, type FileChange } from './file-changes.ts';
import type { FileTexts, NextText } from './file-texts.ts';
import { OTHER, rewritten, UNKNOWN, type Writer, type WriterOf, type WrittenText } from './follow-lines.ts';
import { linesOf } from './text-lines.ts';
import type { TextSums } from './text-sums.ts';
import { unpackWriters, type WrittenFile } from './written-file.ts';

/** What is known of a file before its first change in the journal. */
export type Origin = (text: string) => WrittenText;

type HandsWriter = Extract<Writer, { by: 'hands' }>;

/** Follows the lines of a file through its changes. */
class LineHistory {
  readonly #origin: Origin;
  readonly #sums: TextSums;
  /** The text that is followed; undefined before the first one. */
  #state: WrittenText | undefined;
  /** The SHA-256 of that text. */
  #sum: string | undefined;
  readonly #known = new Map<string, WrittenText>();
  /** The text that was taken last, if nothing came after it. */
  #last: string | undefined;
  /** Whether a text in between is not known: what differs next may be of hands, or of something else. */
  #isUnsure = false;

  constructor(origin: Origin, sums: TextSums) {
    this.#origin = origin;
    this.#sums = sums;
  }

  get text(): WrittenText {
    return this.#state ?? { lines: [], writers: [] };
  }

  /** Continues with a text. One that was there before has its writers of then, as after an undo. */
  take(text: string, writer: WriterOf): void {
    // What a change left is mostly what the next one finds.
    if (text === this.#last && !this.#isUnsure) return;
    const sum = this.#sums.of(text);
    this.#last = text;
    const first = this.#state === undefined && typeof writer === 'object' && writer.by === OTHER.by ? this.#origin(text) : undefined;
    this.#goTo(sum, this.#known.get(sum) ?? first ?? rewritten(this.text, text, this.#isUnsure ? UNKNOWN : writer));
  }

  /** Continues with what a branch made of the text, in which several calls wrote. */
  takeApplied(text: string, file: WrittenFile, own: HandsWriter): void {
    this.#last = text;
    const sum = this.#sums.of(text);
    const known = this.#known.get(sum);
    if (known !== undefined) return this.#goTo(sum, known);
    const lines = linesOf(text);
    const written = unpackWriters(file, own);
    const isWhole = !this.#isUnsure && written.length === lines.length;
    const { writers } = this.text;
    // It began with this text: each line is known.
    if (isWhole && file.base !== undefined && file.base === this.#sum) {
      const follow = (line: (typeof written)[number]): Writer => {
        if (line === undefined) return own;
        if ('base' in line) return writers[line.base] ?? UNKNOWN;
        return line.writer;
      };
      return this.#goTo(sum, { lines, writers: written.map(follow), text });
    }
    const isUnsure = this.#isUnsure;
    const writerOf = (at: number): Writer => {
      const line = written.length === lines.length ? written[at] : undefined;
      return line !== undefined && 'writer' in line ? line.writer : isUnsure ? UNKNOWN : own;
    };
    this.#goTo(sum, rewritten(this.text, text, writerOf));
  }

  /** Continues with a text that was there before. */
  restore(sum: string): boolean {
    this.#last = undefined;
    const known = this.#known.get(sum);
    if (known !== undefined) this.#goTo(sum, known);
    return known !== undefined;
  }

  /** The file is gone. */
  clear(): void {
    this.#state = { lines: [], writers: [] };
    this.#sum = undefined;
    this.#last = undefined;
    this.#isUnsure = false;
  }

  /** The text is not known. */
  lose(): void {
    this.#isUnsure = true;
  }

  #goTo(sum: string, state: WrittenText): void {
    this.#state = state;
    this.#sum = sum;
    this.#isUnsure = false;
    this.#known.set(sum, state);
  }
}

/** How the lines of a file are followed. */
export interface Following {
  readonly texts: FileTexts;
  readonly origin: Origin;
  /** The text that it began with, if it is known. Default: what its first change found. */
  readonly seed?: string | undefined;
  /** Texts after the last change, with the writer of what is new in each. */
  readonly last: ReadonlyArray<{ readonly text: string; readonly writer: Writer }>;
  readonly isLeftBy: NextText['isLeftBy'];
}

/** Takes over what a change left. */
function takeAfter(history: LineHistory, texts: FileTexts, change: FileChange, after: string | null | undefined): void {
  const own: HandsWriter = { by: 'hands', entry: change.entry.id };
  const applied = texts.applied(change);
  if (after === null) history.clear();
  else if (after === undefined) restoreOrLose(history, texts.sumAfter(change));
  // An undo brings back what was there, also where nothing tells any more what that was.
  else if (change.entry.undoes.length > 0) history.take(after, UNKNOWN);
  else if (applied?.runs === undefined) history.take(after, own);
  else history.takeApplied(after, applied, own);
}

/** Follows the lines of a file, change by change. @param changes oldest first */
export function* following(changes: readonly FileChange[], { texts, origin, seed, last, isLeftBy }: Following): Generator<undefined, WrittenText> {
  const history = new LineHistory(origin, texts.sums);
  for (const { text } of last) texts.learn(text);
  if (seed !== undefined) history.take(seed, OTHER);
  const [oldest] = changes;
  let found = oldest === undefined ? undefined : texts.before(oldest);
  for (const [at, change] of changes.entries()) {
    const before = found;
    if (typeof before === 'string')
      history.take(before, { ...OTHER, between: { after: changes[at - 1]?.entry.id, before: change.entry.id, place: placeOf(change.before) } });
    else if (before === null) history.clear();
    else restoreOrLose(history, texts.sumBefore(change));
    const next = changes[at + 1];
    found = next === undefined ? undefined : texts.before(next);
    const after = texts.after(
      change,
      next === undefined
        ? { text: last[0]?.text, isLeftBy }
        : {
            text: found,
            isLeftBy: ({ after: left }) =>
              next.before.rest.length === 0 && next.before.step.before !== null && sameImage(left, next.before.step.before),
          },
    );
    takeAfter(history, texts, change, after);
    yield;
  }
  for (const { text, writer } of last) history.take(text, writer);
  return history.text;
}

/** Follows the lines of a file at once. */
export function follow(changes: readonly FileChange[], how: Following): WrittenText {
  const steps = following(changes, how);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Follows the lines of a file, and lets other work have its turn in between. */
export async function followInTurns(changes: readonly FileChange[], how: Following, slice: TimeSlice): Promise<WrittenText> {
  const steps = following(changes, how);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (slice.isOver) await slice.next();
  }
}

function restoreOrLose(history: LineHistory, sum: string | null | undefined): void {
  if (sum === null) history.clear();
  else if (sum === undefined || !history.restore(sum)) history.lose();
}
