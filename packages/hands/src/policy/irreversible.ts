import type { KnownWord } from './command-pattern.ts';
import type { Irreversible } from './program.ts';
import { findProgram, listed } from './program-table.ts';

function hasOption(words: readonly KnownWord[], option: string): boolean {
  return words.some((word) => {
    if (word === undefined || !word.startsWith('-')) return false;
    if (option.startsWith('--'))
      return option === '--' ? word === '--' : word.length > 3 && word.startsWith('--') && option.startsWith(word.split('=', 1)[0] ?? '');
    return !word.startsWith('--') && word.slice(1).includes(option.slice(1));
  });
}

function applies({ options, actions, prefix }: Irreversible, rest: readonly KnownWord[]): boolean {
  if (options === undefined && actions === undefined && prefix === undefined) return true;
  if (listed(options).some((option) => hasOption(rest, option))) return true;
  const operands = rest.filter((word) => word?.startsWith('-') !== true);
  if (actions !== undefined) return operands.some((word) => word !== undefined && listed(actions).includes(word));
  return prefix !== undefined && operands.some((word) => word?.startsWith(prefix) === true);
}

/**
 * Returns what a command destroys irreversibly, as a clause after "because it"; undefined for any other command.
 *
 * @param canonical the words without global options: `git push --force`
 * @param covered whether its changes in the workspace can be undone
 */
export function irreversible(canonical: readonly KnownWord[], covered = false): string | undefined {
  const [name = '', subcommand = '', ...rest] = canonical;
  const table = findProgram(name)?.irreversible;
  const losses = table !== undefined && Object.hasOwn(table, subcommand) ? table[subcommand] : undefined;
  return losses?.find((loss) => (loss.elsewhere === true || !covered) && applies(loss, rest))?.says;
}
