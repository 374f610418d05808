import type { CommandIo } from './command/command.ts';
import { commandHelp, programHelp } from './command/help-text.ts';
import { COMMANDS, type CommandEntry } from './commands/list.ts';

const HELP = new Set(['--help', '-h']);
/** What an error with the code `invalid_arguments` gives, whose table is not loaded for this alone. */
const USAGE = 2;

/** Loaded late: start-up is measured, and this brings the library with everything in it. */
const errors = () => import('./command/unknown-command.ts');

const commandsBelow = (parent: CommandEntry): CommandEntry[] => COMMANDS.filter(({ name }) => name.startsWith(`${parent.name} `));

/** The command that a command line begins with, by its longest name, and the words after it. */
async function findCommand(words: readonly string[]): Promise<{ entry: CommandEntry; rest: readonly string[] }> {
  const [first = '', second = ''] = words;
  const inner = COMMANDS.find(({ name }) => name === `${first} ${second}`);
  if (inner !== undefined) return { entry: inner, rest: words.slice(2) };
  const entry = COMMANDS.find(({ name }) => name === first);
  if (entry === undefined) {
    const { optionBeforeCommand, unknownCommand } = await errors();
    throw first.startsWith('-')
      ? optionBeforeCommand(first)
      : unknownCommand(
          first,
          COMMANDS.map(({ name }) => name),
        );
  }
  const below = commandsBelow(entry).map(({ name }) => name.slice(first.length + 1));
  if (below.length > 0 && second !== '' && !second.startsWith('-')) {
    const { command } = await entry.load();
    // A command that takes no argument has been given the name of one below it, mistyped.
    if (Object.keys(command.arguments).length === 0) throw (await errors()).unknownCommandBelow(first, second, below);
  }
  return { entry, rest: words.slice(1) };
}

async function printHelp(words: readonly string[], full: boolean, { out }: CommandIo): Promise<number> {
  if (words.length === 0) out.write(programHelp(COMMANDS));
  else {
    const { entry } = await findCommand(words);
    const { command } = await entry.load();
    out.write(commandHelp(entry, command, commandsBelow(entry), full));
  }
  return 0;
}

/**
 * Runs a command line and gives the exit code. Throws what the command throws.
 *
 * @param words the command line without the program's own name
 * @throws SynapseError `invalid_arguments` for a command line that is wrong
 */
export async function runProgram(words: readonly string[], io: CommandIo): Promise<number> {
  const [first] = words;
  if (first === undefined) {
    io.err.write(programHelp(COMMANDS));
    return USAGE;
  }
  if (first === '--version' || first === '-V') {
    io.out.write(`${io.version}\n`);
    return 0;
  }
  if (HELP.has(first)) return await printHelp([], false, io);
  if (first === 'help') return await printHelp(words.slice(1), true, io);
  const end = words.indexOf('--');
  if (words.slice(0, end === -1 ? undefined : end).some((word) => HELP.has(word)))
    return await printHelp(
      words.filter((word) => !HELP.has(word)),
      false,
      io,
    );
  const { entry, rest } = await findCommand(words);
  const { command } = await entry.load();
  return await command.start(rest, io);
}
