import * as z from 'zod';
import { firstOf, OTHER, UNKNOWN, type NestedWriter, type Writer, type WrittenText } from './follow-lines.ts';

const Origin = z.discriminatedUnion('by', [
  z.object({ by: z.literal('hands'), call: z.string(), tool: z.string(), session: z.string().exactOptional(), time: z.int() }),
  z.object({ by: z.enum(['person-or-other', 'unknown']) }),
  /** The line of a text that the workspace had. */
  z.object({ by: z.literal('before') }),
]);
type Origin = z.infer<typeof Origin>;

/** Consecutive lines of one writer; lines of the text before by the number of the first one. */
const Run = z.union([
  z.object({ lines: z.int(), writer: z.int(), formatted: z.int().optional() }),
  z.object({ lines: z.int(), base: z.int().nullable() }),
]);
type Run = z.infer<typeof Run>;

/** Who wrote the lines of a file in a branch that was applied. */
export const WrittenFile = z.object({
  /** SHA-256 of the file of the workspace before; null without one. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** The place of the file before, if it was moved in the branch: bytes as characters. */
  from: z.string().optional(),
  /** The branch, and the folder of its audit log; missing if it was one of the call itself. */
  branch: z.object({ name: z.string(), log: z.string() }).optional(),
  /** SHA-256 of the text that the branch began with. */
  base: z.string().optional(),
  writers: z.array(Origin).optional(),
  runs: z.array(Run).optional(),
});
export type WrittenFile = z.infer<typeof WrittenFile>;

type BaseRun = Extract<Run, { readonly base: number | null }>;

/** Whether lines of the text before go on: where they were, or as before also unknown. */
const goesOn = (run: Run | undefined, base: number | null): run is BaseRun =>
  run !== undefined && 'base' in run && (base === null ? run.base === null : run.base !== null && run.base + run.lines === base);

/** Keeps the writers of a text in a branch, in which each entry is one call. */
export function packWriters({ writers }: WrittenText, nested: (entry: number) => NestedWriter): Pick<Required<WrittenFile>, 'writers' | 'runs'> {
  const origins: Origin[] = [];
  const known = new Map<string, number>();
  const indexOf = (writer: Writer): number => {
    const origin: Origin = writer.by === 'hands' ? (writer.nested ?? nested(writer.entry)) : { by: writer.by };
    const key = JSON.stringify(origin);
    const at = known.get(key) ?? origins.push(origin) - 1;
    known.set(key, at);
    return at;
  };
  const runs: Run[] = [];
  for (const writer of writers) {
    const last = runs.at(-1);
    if (writer.by === 'before') {
      const { line: base = null } = writer;
      if (goesOn(last, base)) last.lines += 1;
      else runs.push({ lines: 1, base });
      continue;
    }
    const own = indexOf(writer);
    const formatted = writer.by === 'hands' && writer.formatted !== undefined ? indexOf(firstOf(writer.formatted)) : undefined;
    if (last !== undefined && 'writer' in last && last.writer === own && last.formatted === formatted) last.lines += 1;
    else runs.push({ lines: 1, writer: own, ...(formatted === undefined ? {} : { formatted }) });
  }
  return { writers: origins, runs };
}

/** Who wrote a line of an applied file: a writer, or the line of the text before that it is; undefined if that is not known. */
type Line = { readonly writer: Writer } | { readonly base: number } | undefined;

/** Reads what {@link packWriters} kept, line by line. @param own the change that applied the branch */
export function unpackWriters({ writers = [], runs = [] }: WrittenFile, own: Extract<Writer, { by: 'hands' }>): Line[] {
  const writerAt = (at: number): Writer => {
    const origin = writers[at];
    if (origin === undefined) return UNKNOWN;
    return origin.by === 'hands' ? { ...own, nested: origin } : origin.by === 'before' ? { by: 'before' } : origin.by === 'unknown' ? UNKNOWN : OTHER;
  };
  return runs.flatMap((run) =>
    Array.from({ length: run.lines }, (_, at): Line => {
      if ('base' in run) return run.base === null ? undefined : { base: run.base + at };
      const writer = writerAt(run.writer);
      if (run.formatted === undefined || writer.by !== 'hands') return { writer };
      const formatted = writerAt(run.formatted);
      // Which line of the text before it was, the comparison with that finds.
      return { writer: formatted.by === 'before' ? writer : { ...writer, formatted } };
    }),
  );
}
