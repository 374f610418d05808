import { SynapseError } from '@synapse/protocol';
import { AUTO, BRANCH_VARIABLE } from '../branch/branch-variable.ts';
import { text } from './option.ts';

/** The option of commands that can work in a branch. */
export const branch = text('<name>', 'work in a branch, or in a new one of its own: auto', { rare: true });

/** The branch that a command line names, if this process has yet to enter it; undefined if it works where it is. */
export function branchToEnter(options: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const wanted = options['branch'];
  const current = environment[BRANCH_VARIABLE];
  if (typeof wanted !== 'string' || wanted === current || (wanted === AUTO && current !== undefined)) return undefined;
  if (current === undefined) return wanted;
  throw new SynapseError('invalid_arguments', `This process works in the branch ${current}.`, {
    hint: 'Leave --branch out, or use another terminal.',
  });
}
