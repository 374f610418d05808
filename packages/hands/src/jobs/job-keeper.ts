import * as z from 'zod';
import { JobRecord } from './job-record.ts';

/** What a keeper gets to take over a job. */
export const KeeperTask = z.strictObject({
  folder: z.string(),
  id: z.string(),
  process: JobRecord.shape.process.unwrap(),
  /** The process that runs the job, and its descriptor of the pipe whose holders own it. */
  owner: z.strictObject({ pid: z.int().positive(), life: z.int() }),
  /** Whether the job's input is still open. */
  input: z.boolean(),
  terminal: z.boolean(),
  /** Unix time in milliseconds; null for no timeout. */
  ends_at: z.number().nullable(),
  workspace: z.string(),
});
export type KeeperTask = z.infer<typeof KeeperTask>;

/** Messages to a keeper. `eof`: the input of the job has ended. `ended`: the job has. */
export type KeeperNews = 'eof' | 'ended';

/** A process that waits to take over a job, which it does when this process ends or lets it go. */
export interface Keeper {
  /** As in `processIdentity`. */
  readonly identity: string;
  tell(news: KeeperNews): void;
  /** Lets the keeper take over. */
  letGo(): void;
  /** Resolves when the keeper has ended. */
  readonly ended: Promise<void>;
}
