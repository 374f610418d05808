import type { Command } from 'commander';
import { COMMANDS } from './command-table.ts';

/**
 * Refuses a word that stands where a command is expected and is none. The parser does that for the first word alone:
 * of `mcp instal` it would say that mcp takes no arguments, and of `help nope` nothing.
 *
 * @param words the command line without the program's own name
 */
export async function refuseUnknown(program: Command, [first = '', second = '']: readonly string[]): Promise<void> {
  const isHelp = first === 'help';
  const parent = COMMANDS.find(({ name }) => name === first);
  const takesWords = Object.keys(parent?.arguments ?? {}).length > 0;
  const commands = isHelp ? COMMANDS : takesWords ? undefined : parent?.commands;
  if (commands === undefined || second === '' || second.startsWith('-')) return;
  const names = commands.map(({ name }) => name);
  if (names.includes(second)) return;
  // Only now: start-up is measured, and this is the library with everything in it.
  const { nearest } = await import('@synapse/hands');
  const near = nearest(second, names);
  const all = `The commands${isHelp ? '' : ` below ${first}`} are: ${names.join(', ')}.`;
  const unknown = `${isHelp ? '' : `${first} `}${second.slice(0, 100)}`;
  program.error(`error: unknown command '${unknown}'\n(${near.length > 0 ? `Did you mean ${near.join(' or ')}?` : all})`, {
    code: 'commander.unknownCommand',
  });
}
