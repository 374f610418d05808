import * as z from 'zod';
import { ConsoleQuestion } from './approvals.ts';
import { ConsoleCall } from './calls.ts';
import { ConsoleJob } from './jobs.ts';
import { ConsoleRun } from './runs.ts';

/** Data that a page may have to fetch again. */
export const ConsoleTopic = z.enum(['branches', 'changes', 'pending', 'quarantine', 'policy', 'servers', 'projects', 'tools']);
export type ConsoleTopic = z.infer<typeof ConsoleTopic>;

/** An event of a project. Each replaces earlier state, so receiving it twice does no harm. */
export const ConsoleEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('calls'), calls: z.array(ConsoleCall) }),
  /** New output of a call that runs in the console. */
  z.strictObject({ type: z.literal('progress'), call: z.string(), output: z.string() }),
  z.strictObject({ type: z.literal('approvals'), approvals: z.array(ConsoleQuestion) }),
  z.strictObject({ type: z.literal('jobs'), jobs: z.array(ConsoleJob) }),
  z.strictObject({ type: z.literal('run'), run: ConsoleRun }),
  z.strictObject({ type: z.literal('stale'), topics: z.array(ConsoleTopic) }),
]);
export type ConsoleEvent = z.infer<typeof ConsoleEvent>;
