import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { workspaceId } from '../state/state-folder.ts';
import { knownId } from '../text/known-id.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { asItIs, endLeftovers } from './end-leftovers.ts';
import { readLog } from './job-log.ts';
import { JobRecord, jobsFolder, readRecord, readRecords } from './job-record.ts';
import { messageState, sendMessage, withdrawMessage, type JobRequest, type TypedInput } from './job-mailbox.ts';
import { jobPorts, type JobPort } from './job-ports.ts';
import { logText } from './log-text.ts';

/** Milliseconds between looks at whether the process answered. */
const LOOK_MS = 25;
/** Maximum number of looks: ten seconds and more. Time in which the machine stands still has none. */
const ANSWER_LOOKS = 400;
const READ_BYTES = 1024 * 1024;

/** A job as seen by any process of the same user. */
export type WorkspaceJob = Omit<JobRecord, 'boot' | 'process' | 'basis' | 'recorded'>;

const Shown = JobRecord.omit({ boot: true, process: true, basis: true, recorded: true });

/** Removes the fields that mean nothing to other processes. */
const shown = (record: JobRecord): WorkspaceJob => Shown.strip().parse(record);

/** Whether a request was granted. */
const GRANTED: Readonly<Record<JobRequest, (job: JobRecord) => boolean>> = {
  stop: ({ status }) => status === 'ended',
  detach: ({ detached }) => detached,
};

/** All jobs of a workspace, from any process. For people: a call sees only the jobs of its session. */
export class WorkspaceJobs {
  readonly #folder: string;

  /** @param root the real path of the workspace */
  constructor(stateFolder: string, root: string) {
    this.#folder = jobsFolder(stateFolder, workspaceId(root));
  }

  /** Lists the jobs, oldest first. Ended jobs are listed for a day. */
  list(): WorkspaceJob[] {
    return readRecords(this.#folder).map((record) => shown(asItIs(record)));
  }

  /**
   * Returns the id that a person means by its beginning.
   *
   * @throws SynapseError `not_found` with the nearest; `conflict` if it begins several
   */
  named(id: string): string {
    const known = readRecords(this.#folder).map((record) => record.id);
    return knownId(id, known, { what: 'job', list: 'synapse jobs lists those of this project.' });
  }

  /** @throws SynapseError `not_found` */
  get(id: string): WorkspaceJob {
    return shown(asItIs(this.#find(id)));
  }

  /** The TCP ports on which a job listens. */
  ports(id: string): JobPort[] {
    return jobPorts(this.#find(id));
  }

  /** The whole output of a job; undefined if it is longer, or if not all of it is kept. */
  outputBytes(id: string, most: number): Buffer | undefined {
    const { bytes, from, end } = readLog(this.#folder, id, 0, most);
    return from === 0 && bytes.length === end ? bytes : undefined;
  }

  /** Yields the kept output of a job in pieces. */
  *output(id: string): Generator<string> {
    this.#find(id);
    const decoder = new TextDecoder();
    for (let at = 0; ;) {
      const { bytes, from } = readLog(this.#folder, id, at, READ_BYTES);
      if (bytes.length === 0) return;
      yield decoder.decode(bytes, { stream: true });
      at = from + bytes.length;
    }
  }

  /**
   * Reads a part of a job's output without escape sequences, for a view that follows it.
   *
   * @param from the byte offset at which to start; output that is no longer kept is skipped
   * @returns the text, the offset at which to continue, and the current end
   */
  read(id: string, from: number, most: number): { readonly text: string; readonly next: number; readonly end: number } {
    const { status } = this.#find(id);
    const part = readLog(this.#folder, id, from, most);
    const ends = status === 'ended' && part.from + part.bytes.length >= part.end;
    const { text, consumed } = logText(part.bytes, { begins: part.from === 0, ends });
    return { text, next: part.from + consumed, end: part.end };
  }

  /**
   * Types text into a job of any process. For people: no rule checks the text.
   *
   * @throws SynapseError `not_found`; `conflict` if the job has ended; `invalid_arguments` if the text is rejected; `busy`
   *   if the process does not answer
   */
  async input(id: string, input: TypedInput, signal: AbortSignal): Promise<void> {
    const job = this.#find(id);
    if (job.status === 'ended' || isRunning(job.owner) === false) {
      throw new SynapseError('conflict', `${id} has ended, so nothing was written.`, { hint: 'Start it again.' });
    }
    const path = sendMessage(this.#folder, id, { type: 'input', ...input });
    for (let looks = 0; looks < ANSWER_LOOKS && !signal.aborted; looks += 1) {
      await delay(LOOK_MS);
      const state = messageState(path);
      if (state === 'taken') return;
      if (state !== 'waits') throw new SynapseError('invalid_arguments', state.refused);
    }
    withdrawMessage(path);
    throw new SynapseError('busy', `The process that runs ${id} did not answer.`, { hint: 'Try again in a moment.', retryable: true });
  }

  /**
   * Sends a request to the process that runs a job, and waits until it is granted.
   *
   * @throws SynapseError `not_found`; `conflict` if the job has ended; `busy` if the process does not answer
   */
  async request(id: string, request: JobRequest, signal: AbortSignal): Promise<WorkspaceJob> {
    const job = this.#find(id);
    if (job.status === 'ended')
      throw new SynapseError('conflict', `${id} has ended already: ${job.ending ?? ''}`, { hint: 'synapse jobs lists those that run.' });
    if (isRunning(job.owner) === false) {
      // The process was killed. End the rest of the job.
      await endLeftovers(this.#folder);
      return this.get(id);
    }
    const path = sendMessage(this.#folder, id, { type: request });
    for (let looks = 0; looks < ANSWER_LOOKS && !signal.aborted; looks += 1) {
      const now = this.#find(id);
      if (GRANTED[request](now) || now.status === 'ended') return shown(now);
      await delay(LOOK_MS);
    }
    withdrawMessage(path);
    throw new SynapseError('busy', `The process that runs ${id} did not answer.`, {
      hint: 'Try again in a moment, or end that process.',
      retryable: true,
    });
  }

  #find(id: string): JobRecord {
    const job = readRecord(this.#folder, id);
    if (job !== undefined) return job;
    throw new SynapseError('not_found', `Job not found: ${id.slice(0, 40)}`, { hint: 'synapse jobs lists those of this project.' });
  }
}
