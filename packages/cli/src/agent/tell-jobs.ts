import type { Hands } from '@synapse/hands';
import { defaultStateFolder, WorkspaceJobs } from '@synapse/hands/internal';
import { isSynapseError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { inLine } from '../output/visible-text.ts';

/** Characters of a command to show. */
const SHOWN = 60;

/** Follows the jobs of hands. Returns how to close the hands and tell which jobs ended with them: the model was told that they run. */
export function closeAndTellJobs(hands: Hands, err: CommandIo['err']): () => Promise<void> {
  const running = new Map<string, string>();
  hands.subscribe((event) => {
    if (event.type === 'job-start') running.set(event.jobId, event.command);
    if (event.type === 'job-end') running.delete(event.jobId);
  });
  return async () => {
    const left = [...running];
    await hands[Symbol.asyncDispose]();
    const jobs = new WorkspaceJobs(defaultStateFolder(), hands.workspace);
    for (const [id, command] of left) tellJob(jobs, id, inLine(command.slice(0, SHOWN)), err);
  };
}

function tellJob(jobs: WorkspaceJobs, id: string, command: string, err: CommandIo['err']): void {
  try {
    const { status, notes } = jobs.get(id);
    if (status !== 'ended') return err.write(`${id} goes on without this run: ${command}. End it with: synapse jobs stop ${id}\n`, 'yellow');
    err.write(`${id} still ran, and was ended with this run: ${command}. Its output: synapse jobs output ${id}\n`, 'yellow');
    for (const note of notes) err.write(`  ${inLine(note)}\n`, 'yellow');
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    err.write(`${id} still ran, and was ended with this run: ${command}.\n`, 'yellow');
  }
}
