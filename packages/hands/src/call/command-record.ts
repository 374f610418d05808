import * as z from 'zod';

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/u);

/** A program that a command line names. */
export const RecordedProgram = z.object({
  name: z.string(),
  /** Where it was found. Only for records on this machine: it may lead outside the workspace. */
  path: z.string(),
  /** Inode, size, and time of its last change: what identifies its content without reading it. */
  stamp: z.string(),
});
export type RecordedProgram = z.infer<typeof RecordedProgram>;

/** The content of the workspace as a command found and left it. */
export const RecordedTree = z.object({
  before: SHA256,
  /** Set if it differs afterwards. */
  after: SHA256.optional(),
  /** The hash of the list of files that the command could not read. */
  hidden: SHA256.optional(),
  /** Set if something else changed files while the command ran: then it may have read both states. */
  unstable: z.literal(true).optional(),
});

/** What a command stood on, for the record of its call. */
export const CommandRecord = z.object({
  /** Program and arguments, without secrets. */
  argv: z.array(z.string()),
  /** Null if a signal ended it. */
  exit_code: z.int().nullable(),
  signal: z.string().optional(),
  /** Set if it was ended early, such as by its time-out. */
  aborted: z.literal(true).optional(),
  duration_ms: z.number(),
  ran: z.enum(['copy', 'read-only', 'live', 'unconfined']).optional(),
  /** How much of other machines it could reach. */
  network: z.enum(['off', 'some', 'on']),
  /** Both streams in order of arrival; `from`: the first byte that the hash covers, if what was before was not kept. */
  output: z.object({ sha256: SHA256, bytes: z.int(), from: z.int().optional() }),
  /** The hash of the text that the caller got. */
  shown: SHA256.optional(),
  programs: z.array(RecordedProgram),
  /** Undefined if it could not be known; `no_tree` then says why. */
  tree: RecordedTree.optional(),
  no_tree: z.string().optional(),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/** What the record of a command needs that is known before it ends: another process may have to write it. */
export const CommandBasis = CommandRecord.pick({ argv: true, programs: true, ran: true, no_tree: true }).extend({
  /** Milliseconds of the clock of the system that is never set, when its call began. */
  started_ms: z.number(),
  tree: RecordedTree.pick({ before: true, hidden: true }).optional(),
});
export type CommandBasis = z.infer<typeof CommandBasis>;
