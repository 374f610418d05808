import type { CommandIo, CommandEntry } from './command/command.ts';
import { commandHelp, programHelp } from './command/help-text.ts';

type Commands = readonly CommandEntry[];

const HELP = new Set(['--help', '-h']);
/** The exit code of `invalid_arguments`; the full table is not loaded for it. */
const USAGE = 2;

/** Loaded late, because it imports the whole library. */
const errors = () => import('./command/unknown-command.ts');

const commandsBelow = (commands: Commands, parent: CommandEntry): CommandEntry[] => commands.filter(({ name }) => name.startsWith(`${parent.name} `));

/** The command at the start of a command line, by its longest name, and the remaining words. */
async function findCommand(commands: Commands, words: readonly string[]): Promise<{ entry: CommandEntry; rest: readonly string[] }> {
  const [first = '', second = ''] = words;
  const inner = commands.find(({ name }) => name === `${first} ${second}`);
  if (inner !== undefined) return { entry: inner, rest: words.slice(2) };
  const entry = commands.find(({ name }) => name === first);
  if (entry === undefined) {
    const { optionBeforeCommand, unknownCommand } = await errors();
    throw first.startsWith('-')
      ? optionBeforeCommand(first)
      : unknownCommand(
          first,
          commands.map(({ name }) => name),
        );
  }
  if (entry.lists === true && second === 'list') return { entry, rest: words.slice(2) };
  const below = commandsBelow(commands, entry).map(({ name }) => name.slice(first.length + 1));
  if (entry.lists === true) below.push('list');
  if (below.length > 0 && second !== '' && !second.startsWith('-')) {
    const { command } = await entry.load();
    // A command without arguments got one: probably a mistyped subcommand.
    if (Object.keys(command.arguments).length === 0) throw (await errors()).unknownCommandBelow(first, second, below);
  }
  return { entry, rest: words.slice(1) };
}

async function printHelp(commands: Commands, words: readonly string[], full: boolean, { out }: CommandIo): Promise<number> {
  if (words.length === 0) out.write(programHelp(commands));
  else {
    const { entry } = await findCommand(commands, words);
    const { command } = await entry.load();
    out.write(commandHelp(entry, command, commandsBelow(commands, entry), full));
  }
  return 0;
}

/**
 * Runs a command line and returns the exit code. Throws what the command throws.
 *
 * @param commands all commands, in the order of the help
 * @param words the command line without the program's name
 * @throws SynapseError `invalid_arguments` for an invalid command line
 */
export async function runProgram(commands: Commands, words: readonly string[], io: CommandIo): Promise<number> {
  const [first] = words;
  if (first === undefined) {
    io.err.write(programHelp(commands));
    return USAGE;
  }
  if (first === '--version' || first === '-V') {
    io.out.write(`${io.version}\n`);
    return 0;
  }
  if (HELP.has(first)) return await printHelp(commands, [], false, io);
  if (first === 'help') return await printHelp(commands, words.slice(1), true, io);
  const end = words.indexOf('--');
  if (words.slice(0, end === -1 ? undefined : end).some((word) => HELP.has(word)))
    return await printHelp(
      commands,
      words.filter((word) => !HELP.has(word)),
      false,
      io,
    );
  const { entry, rest } = await findCommand(commands, words);
  const { command } = await entry.load();
  return await command.start(rest, { ...io, commands });
}
