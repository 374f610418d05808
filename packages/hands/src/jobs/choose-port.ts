import { SynapseError } from '@synapse/protocol';
import type { JobPort } from './job-ports.ts';

/**
 * Chooses a port of a job.
 *
 * @param wanted its number. Default: the only one
 * @param advice `wait`: what to do until the job listens. `choose`: how to name one of several
 * @throws SynapseError `not_found` if the job does not listen there; `invalid_arguments` if it listens on several ports
 */
export function choosePort(
  job: string,
  ports: readonly JobPort[],
  wanted: number | undefined,
  advice: { readonly wait: string; readonly choose: string },
): JobPort {
  const [port, ...others] = wanted === undefined ? ports : ports.filter((one) => one.port === wanted);
  const list = ports.map((one) => one.port).join(', ');
  if (port === undefined) {
    const hint = ports.length > 0 ? `It listens on ${list}.` : advice.wait;
    throw new SynapseError('not_found', `${job} does not listen on ${wanted === undefined ? 'any port' : `port ${wanted}`}.`, { hint });
  }
  if (others.length > 0) throw new SynapseError('invalid_arguments', `${job} listens on several ports.`, { hint: `${advice.choose}: ${list}` });
  return port;
}
