import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { workspaceId } from '../store/workspace-id.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { endLeftovers } from './end-leftovers.ts';
import { readLog } from './job-log.ts';
import { JobRecord, jobsFolder, readRecord, readRecords } from './job-record.ts';
import { sendRequest, withdrawRequest, type JobRequest } from './job-requests.ts';

/** A process answers a request within this time or not at all; in milliseconds. */
const ANSWER_MS = 10_000;
const LOOK_MS = 25;
const READ_BYTES = 1024 * 1024;

/** A job as any process of the same user sees it. */
export type WorkspaceJob = Omit<JobRecord, 'boot' | 'process'>;

const Shown = JobRecord.omit({ boot: true, process: true });

/** Numbers of processes mean nothing to anybody else. */
const shown = (record: JobRecord): WorkspaceJob => Shown.strip().parse(record);

/** Whether a request is granted. */
const GRANTED: Readonly<Record<JobRequest, (job: JobRecord) => boolean>> = {
  stop: ({ status }) => status === 'ended',
  detach: ({ detached }) => detached,
};

/** The jobs of a workspace, whichever process runs them. For a person: a call sees those of its session only. */
export class WorkspaceJobs {
  readonly #folder: string;

  /** @param root the real path of the workspace */
  constructor(stateFolder: string, root: string) {
    this.#folder = jobsFolder(stateFolder, workspaceId(root));
  }

  /** Oldest first; ended ones for a day. */
  list(): WorkspaceJob[] {
    return readRecords(this.#folder).map(shown);
  }

  /** @throws SynapseError `not_found` */
  get(id: string): WorkspaceJob {
    return shown(this.#find(id));
  }

  /** Its output, as far as it is kept, in pieces. */
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
   * Asks the process that runs a job for something, and waits until it is done.
   *
   * @throws SynapseError `not_found`; `conflict` where the job has ended; `busy` where the process does not answer
   */
  async request(id: string, request: JobRequest, signal: AbortSignal): Promise<WorkspaceJob> {
    const job = this.#find(id);
    if (job.status === 'ended')
      throw new SynapseError('conflict', `${id} has ended already: ${job.ending ?? ''}`, { hint: 'synapse jobs lists those that run.' });
    if (isRunning(job.owner) === false) {
      // Its process was killed: what is left of it ends now.
      await endLeftovers(this.#folder);
      return this.get(id);
    }
    sendRequest(this.#folder, id, request);
    const deadline = performance.now() + ANSWER_MS;
    while (performance.now() < deadline && !signal.aborted) {
      const now = this.#find(id);
      if (GRANTED[request](now) || now.status === 'ended') return shown(now);
      await delay(LOOK_MS);
    }
    withdrawRequest(this.#folder, id, request);
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
