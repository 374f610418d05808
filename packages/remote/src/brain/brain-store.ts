import type { FinishedCall, OpenCall } from '@synapse/protocol/remote';
import * as z from 'zod';

/**
 * Where an agent keeps its calls, so that it can go on after a restart. The texts are secret: they have what calls were given, and their results.
 *
 * A call is kept before it is sent, and its result before the machine may forget it: what a method returns is waited for.
 */
export interface BrainStore {
  /** All kept texts, by id. */
  load(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  /** Keeps a text under an id, in place of an earlier one. */
  put(id: string, text: string): void | Promise<void>;
  /** Forgets what is kept under an id. */
  delete(id: string): void | Promise<void>;
}

/** A call as it is kept. */
export interface KeptCall {
  readonly open: OpenCall;
  /** Set once it ended. */
  readonly result?: FinishedCall;
}

const Kept = z.object({
  version: z.literal(1),
  call: z.object({
    tool: z.string(),
    args: z.unknown(),
    dialect: z.string().exactOptional(),
    at: z.number(),
    queueMs: z.number().exactOptional(),
    deadlineMs: z.number().exactOptional(),
    dryRun: z.boolean().exactOptional(),
    workspace: z.string().exactOptional(),
  }),
  hash: z.string(),
  ledger: z.string().nullable(),
  cancelled: z.boolean(),
  result: z
    .object({
      status: z.enum(['success', 'error', 'cancelled', 'interrupted', 'expired', 'denied']),
      bytes: z.number(),
      sha256: z.string(),
      body: z.string(),
    })
    .exactOptional(),
});

/** Writes a call as a text to keep. */
export function keptText({ open: { call, hash, ledger, cancelled }, result }: KeptCall): string {
  const kept: z.input<typeof Kept> = { version: 1, call, hash, ledger: ledger ?? null, cancelled, ...(result === undefined ? {} : { result }) };
  return JSON.stringify(kept);
}

/** Reads a kept call. @throws if it is damaged, or of a later version */
export function readKept(text: string, now: number): KeptCall {
  const { call, hash, ledger, cancelled, result } = Kept.parse(JSON.parse(text));
  return {
    // It may have been sent or accepted. Sending it again does no harm.
    open: { call, hash, ledger: ledger ?? undefined, phase: 'held', cancelled, reading: undefined, askedAt: now },
    ...(result === undefined ? {} : { result }),
  };
}
