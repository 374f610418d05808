import { SynapseError } from '@synapse/protocol';
import type { CallJobs } from './call-jobs.ts';

/** The error of a call that would start a job where none is possible. */
export function jobImpossible(why: string): SynapseError {
  return new SynapseError('unavailable', `${why}, so nothing was started.`, {
    hint: 'Run the command in the foreground with a timeout_ms that is long enough. A job needs a call of its own, in a session that comes back for it.',
  });
}

/** The jobs of a call whose caller makes no later calls. */
export function noJobs(why: string): CallJobs {
  const refuse = (): never => {
    throw jobImpossible(why);
  };
  return {
    session: undefined,
    assertPossible: refuse,
    start: refuse,
    adopt: () => undefined,
    list: () => [],
    get: (id) => {
      throw new SynapseError('not_found', `Job not found: ${id.slice(0, 40)}`, { hint: 'No job can run here.' });
    },
    news: () => [],
  };
}
