import { findJobPort, recordForward } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { ServedWorkspaces } from './served-workspaces.ts';
import { ServedPorts, type ServedPortsOptions } from './served-ports.ts';

/** The ports of jobs in workspaces, and what they need from their connection. */
interface OpenPortsOptions extends Omit<ServedPortsOptions, 'find' | 'record' | 'watch'> {
  readonly workspaces: ServedWorkspaces;
  readonly stateFolder: string;
  /** The session of a device, in which its jobs run. */
  readonly sessionOf: (device: string) => string;
}

/** Serves the ports of the jobs of workspaces. */
export function openPorts({ workspaces, stateFolder, sessionOf, ...options }: OpenPortsOptions): ServedPorts {
  const placeOf = (name: string | undefined): { readonly stateFolder: string; readonly root: string } => {
    const root = workspaces.rootOf(name);
    if (root === undefined) throw new SynapseError('not_found', 'Job not found.');
    return { stateFolder, root };
  };
  return new ServedPorts({
    ...options,
    find: (device, grant, wanted, name) =>
      findJobPort(placeOf(name), wanted, ({ session }) => grant.ports === 'all' || session === sessionOf(device)),
    record: (device, { job, target }, name) => recordForward({ ...placeOf(name), sessionId: sessionOf(device), job, port: target.port }),
    // The end of a job is written before this event.
    watch: (onJobEnd) => workspaces.subscribe((event) => event.type === 'job-end' && onJobEnd()),
  });
}
