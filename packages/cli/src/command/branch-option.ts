import { SynapseError } from '@synapse/protocol';
import { text } from './option.ts';

/** Tells a process in which branch it runs. */
export const BRANCH_VARIABLE = 'SYNAPSE_BRANCH';

/** The option of commands that can work in a branch. */
export const branch = text('<name>', 'work in a branch: synapse branch new <name> makes one');

/** The branch that a command line names, if this process has yet to enter it; undefined if it works where it is. */
export function branchToEnter(options: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const wanted = options['branch'];
  const current = environment[BRANCH_VARIABLE];
  if (typeof wanted !== 'string' || wanted === current) return undefined;
  if (current === undefined) return wanted;
  throw new SynapseError('invalid_arguments', `This process works in the branch ${current}.`, {
    hint: 'Leave --branch out, or use another terminal.',
  });
}
