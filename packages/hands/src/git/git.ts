import type { Processes } from '../process/processes.ts';

/** Runs git so that nothing the repository says is executed. */
export class Git {
  readonly processes: Processes;

  constructor(processes: Processes) {
    this.processes = processes;
  }
}
