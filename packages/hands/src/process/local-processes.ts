import type { ProcessOutcome, ProcessRequest, Processes } from './processes.ts';

/** Processes of this machine, without a sandbox. */
export class LocalProcesses implements Processes {
  run(_request: ProcessRequest): Promise<ProcessOutcome> {
    throw new Error('LocalProcesses.run is being written.');
  }
}
