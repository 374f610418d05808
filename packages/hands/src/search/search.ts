import type { Processes } from '../process/processes.ts';

/** Searches files with ripgrep. */
export class Search {
  readonly processes: Processes;

  constructor(processes: Processes) {
    this.processes = processes;
  }
}
