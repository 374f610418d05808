import { COMMANDS } from './command-table.ts';
import type { CommandDefinition } from './command.ts';

/** Every command with the words it is called by. */
export function allCommands(
  commands: readonly CommandDefinition[] = COMMANDS,
  before: readonly string[] = [],
): Array<readonly [string[], CommandDefinition]> {
  return commands.flatMap((command) => {
    const words = [...before, command.name];
    return [[words, command] as const, ...allCommands(command.commands ?? [], words)];
  });
}
