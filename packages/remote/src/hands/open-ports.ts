import type { Hands } from '@synapse/hands';
import { findJobPort, recordForward } from '@synapse/hands/internal';
import { ServedPorts, type ServedPortsOptions } from './served-ports.ts';

/** The ports of jobs of hands, and what they need from their connection. */
interface OpenPortsOptions extends Omit<ServedPortsOptions, 'find' | 'record' | 'watch'> {
  readonly hands: Hands;
  readonly stateFolder: string;
  /** The session of a device, in which its jobs run. */
  readonly sessionOf: (device: string) => string;
}

/** Serves the ports of the jobs of hands. */
export function openPorts({ hands, stateFolder, sessionOf, ...options }: OpenPortsOptions): ServedPorts {
  const place = { stateFolder, root: hands.workspace };
  return new ServedPorts({
    ...options,
    find: (device, grant, wanted) => findJobPort(place, wanted, ({ session }) => grant.ports === 'all' || session === sessionOf(device)),
    record: (device, { job, target }) => recordForward({ ...place, sessionId: sessionOf(device), job, port: target.port }),
    // The end of a job is written before this event.
    watch: (onJobEnd) => hands.subscribe((event) => event.type === 'job-end' && onJobEnd()),
  });
}
