import type { Hands } from '@synapse/hands';
import { findJobPort, recordForward } from '@synapse/hands/internal';
import { ServedPorts, type ServedPortsOptions } from './served-ports.ts';

/** The ports of jobs of hands, and what they need from their connection. */
interface OpenPortsOptions extends Omit<ServedPortsOptions, 'find' | 'record'> {
  readonly hands: Hands;
  readonly stateFolder: string;
  /** The session of a device, in which its jobs run. */
  readonly sessionOf: (device: string) => string;
}

/** Serves the ports of the jobs of hands. Returns what ends that, too. */
export function openPorts({ hands, stateFolder, sessionOf, ...options }: OpenPortsOptions): {
  readonly ports: ServedPorts;
  readonly end: () => void;
} {
  const place = { stateFolder, root: hands.workspace };
  const ports = new ServedPorts({
    ...options,
    find: (device, grant, wanted) => findJobPort(place, wanted, ({ session }) => grant.ports === 'all' || session === sessionOf(device)),
    record: (device, { job, target }) => recordForward({ ...place, sessionId: sessionOf(device), job, port: target.port }),
  });
  // The end of a job is written before it is told.
  const unsubscribe = hands.subscribe((event) => event.type === 'job-end' && ports.check());
  return {
    ports,
    end: () => {
      unsubscribe();
      ports.breakLine();
    },
  };
}
