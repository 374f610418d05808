import * as z from 'zod';

const SHA256 = z.string().regex(/^[0-9a-f]{64}$/u);

/** The statement of a receipt: what a command was, how it ended, and on what it stood. Holds no content, no secret, and no path outside. */
export const ReceiptStatement = z.strictObject({
  type: z.literal('synapse-receipt'),
  version: z.literal(1),
  /** The id of the call, which is that of the receipt. */
  id: z.string(),
  tool: z.string(),
  session: z.string().optional(),
  /** When it started and ended, ISO 8601. */
  started: z.iso.datetime(),
  ended: z.iso.datetime(),
  /** Set if the clock of the machine was set while the command ran. */
  clock: z.literal('was set').optional(),
  /** The shell command. */
  command: z.string(),
  arguments: z.array(z.string()),
  /** The folder it ran in, relative to the workspace. */
  folder: z.string(),
  exit_code: z.int().nullable(),
  signal: z.string().optional(),
  aborted: z.literal(true).optional(),
  duration_ms: z.number(),
  /** The job that it ran as, in the background. */
  job: z.string().optional(),
  sandbox: z.string(),
  ran: z.string().optional(),
  network: z.enum(['off', 'some', 'on']),
  output: z.strictObject({ sha256: SHA256, bytes: z.int(), shown_sha256: SHA256.optional(), from: z.int().optional() }),
  programs: z.array(z.strictObject({ name: z.string(), sha256: SHA256.optional(), identity: SHA256.optional() })),
  tree: z
    .strictObject({
      before: SHA256,
      after: SHA256.optional(),
      unstable: z.literal(true).optional(),
      /** Files that it could not read, relative to the workspace. */
      not_read: z.array(z.string()),
      /** The files of `before` with kind and hash, as far as they are few: folders end in a slash. */
      files: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  /** Why the tree is not known. */
  no_tree: z.string().optional(),
  /** Its place in the audit log: the number of its records, and the hashes of the last one and of the one before. */
  audit: z.strictObject({ log: z.string(), start: z.int(), seq: z.int(), prev: SHA256, hash: SHA256 }),
  /** The public key, Ed25519, 32 bytes in base64url. */
  key: z.string().regex(/^[\w-]{43}$/u),
});
export type ReceiptStatement = z.infer<typeof ReceiptStatement>;

/** A signed receipt. The signature covers the canonical JSON of all other fields. */
export const Receipt = ReceiptStatement.extend({ signature: z.string().regex(/^[\w-]{86}$/u) });
export type Receipt = z.infer<typeof Receipt>;
