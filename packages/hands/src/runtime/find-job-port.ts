import { SynapseError } from '@synapse/protocol';
import { BranchStore } from '../branch/branch-store.ts';
import { choosePort } from '../jobs/choose-port.ts';
import { stillListens, type JobPort } from '../jobs/job-ports.ts';
import { WorkspaceJobs, type WorkspaceJob } from '../jobs/workspace-jobs.ts';
import { knownId } from '../text/known-id.ts';

/** A port of a job, as another device names it. */
export interface WantedPort {
  /** Its id, or the beginning of it. */
  readonly job: string;
  /** Default: the only one. */
  readonly port?: number | undefined;
}

/** A port on which a job listens, in a network that is not the machine's. */
export interface FoundPort {
  readonly job: string;
  readonly target: JobPort;
  /** The same port as it is now: its server may have started again. @throws SynapseError `not_found` if the job does not listen there any more */
  readonly now: () => JobPort;
  readonly hasEnded: () => boolean;
}

interface Place {
  readonly stateFolder: string;
  /** The real path of the workspace. */
  readonly root: string;
}

const ADVICE = { wait: 'Wait until its server has started: the job tool shows what it prints.', choose: 'Choose one' };

/**
 * Finds a port of a job of a workspace, or of one of its branches. The port is that of a socket of the job, in the job's own network: a number
 * alone would lead to whatever program of the machine has it.
 *
 * @param mayReach whether the port of a job may be reached. Others are as unknown as those that do not exist
 * @throws SynapseError `not_found`; `denied` for a job in the network of the machine; `invalid_arguments` if it listens on several ports
 */
export function findJobPort({ stateFolder, root }: Place, wanted: WantedPort, mayReach: (job: WorkspaceJob) => boolean): FoundPort {
  const branches = new BranchStore(stateFolder, root).list().map(({ folder }) => new WorkspaceJobs(folder.state, root));
  const all = [new WorkspaceJobs(stateFolder, root), ...branches].flatMap((jobs) =>
    jobs
      .list()
      .filter(mayReach)
      .map((job) => ({ jobs, job })),
  );
  const id = knownId(
    wanted.job,
    all.map(({ job }) => job.id),
    { what: 'job', list: 'The job tool lists those of this device.' },
  );
  const found = all.find(({ job }) => job.id === id);
  if (found === undefined) throw new SynapseError('not_found', `Job not found: ${id}`);
  if (found.job.status === 'ended') throw new SynapseError('not_found', `${id} has ended.`, { hint: 'Start it again.' });
  const { jobs } = found;
  const target = chosen(id, jobs.ports(id), wanted.port);
  return {
    job: id,
    target,
    now: () => (stillListens(target) ? target : chosen(id, jobs.ports(id), target.port)),
    hasEnded: () => !jobs.list().some((job) => job.id === id && job.status !== 'ended'),
  };
}

function chosen(job: string, ports: readonly JobPort[], wanted: number | undefined): JobPort {
  const port = choosePort(job, ports, wanted, ADVICE);
  if (!port.isShared) return port;
  throw new SynapseError('denied', `${job} uses the network of the machine, where other programs have ports, too.`, {
    hint: 'Only ports of jobs with a network of their own are forwarded: serve the folder with a sandbox, and without --network on.',
  });
}
