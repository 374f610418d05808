/**
 * The `synapse` command: what it offers, for who documents it.
 *
 * @module
 */
export { COMMANDS } from './command-table.ts';
export { OPTIONS } from './option-table.ts';
export type { OptionDefinition } from './option-table.ts';
export type { CommandAction, CommandContext, CommandDefinition, CommandOptions } from './command.ts';
export { allCommands } from './all-commands.ts';
