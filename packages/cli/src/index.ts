/**
 * The `synapse` command: what it offers, for who documents it.
 *
 * @module
 */
export { COMMANDS, OPTIONS } from './command-table.ts';
export type { OptionDefinition } from './command-table.ts';
export type { CommandAction, CommandContext, CommandDefinition, CommandOptions } from './command.ts';
export { commandsMarkdown } from './commands-markdown.ts';
