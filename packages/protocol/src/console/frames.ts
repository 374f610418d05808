import * as z from 'zod';
import { ConsoleQuestion } from './approvals.ts';
import { ConsoleCall } from './calls.ts';
import { ConsoleEvent } from './events.ts';
import { ConsoleJob } from './jobs.ts';
import { ConsoleRun } from './runs.ts';

/** A message from a page. */
export const ConsoleClientFrame = z.discriminatedUnion('type', [
  /** The first message, and each that selects another project. */
  z.strictObject({
    type: z.literal('hello'),
    /** The part of the sign-in outside the cookie: browsers send cookies to every port of a host. */
    key: z.string().max(200),
    /** Default: the project that the console was started in. */
    project: z.string().max(4096).optional(),
    /** The last event the page has received. */
    since: z.strictObject({ epoch: z.string().max(64), seq: z.int().min(0) }).optional(),
  }),
  z.strictObject({ type: z.literal('request'), id: z.int(), method: z.string().max(40), params: z.unknown() }),
  z.strictObject({ type: z.literal('cancel'), id: z.int() }),
]);
export type ConsoleClientFrame = z.infer<typeof ConsoleClientFrame>;

/** The error of a request. */
export const ConsoleError = z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() });
export type ConsoleError = z.infer<typeof ConsoleError>;

/** A message from the console. */
export const ConsoleServerFrame = z.discriminatedUnion('type', [
  /** The full state, except older calls, which follow as `history`. */
  z.strictObject({
    type: z.literal('snapshot'),
    /** A new value means that the console restarted or shows another project, so sequence numbers start again. */
    epoch: z.string(),
    /** Sequence number of the last included event. */
    seq: z.int(),
    project: z.string(),
    version: z.string(),
    calls: z.array(ConsoleCall),
    approvals: z.array(ConsoleQuestion),
    jobs: z.array(ConsoleJob),
    runs: z.array(ConsoleRun),
  }),
  /** Sent in place of a snapshot; all missed events follow as `events`. */
  z.strictObject({ type: z.literal('resumed'), epoch: z.string() }),
  z.strictObject({ type: z.literal('history'), epoch: z.string(), calls: z.array(ConsoleCall), complete: z.boolean() }),
  /** `seq` is the number of the first event. */
  z.strictObject({ type: z.literal('events'), epoch: z.string(), seq: z.int(), events: z.array(ConsoleEvent) }),
  z.strictObject({ type: z.literal('response'), id: z.int(), ok: z.literal(true), value: z.unknown() }),
  z.strictObject({ type: z.literal('response'), id: z.int(), ok: z.literal(false), error: ConsoleError }),
]);
export type ConsoleServerFrame = z.infer<typeof ConsoleServerFrame>;
