import type { CommandIo } from '../command/command.ts';
import { longFlag } from '../command/option.ts';

/** What can follow a command: its subcommands and flags. */
export interface CompletedCommand {
  /** The command, such as `policy explain`; empty for the program itself. */
  readonly name: string;
  readonly below: readonly Described[];
  readonly flags: readonly (Described & { readonly takesValue: boolean })[];
}

/** A word with its description. */
export interface Described {
  readonly word: string;
  readonly summary: string;
}

/** The words of every command, from the list of commands and their declarations. */
export async function completionWords(commands: NonNullable<CommandIo['commands']>): Promise<CompletedCommand[]> {
  const top = commands.filter(({ name }) => !name.includes(' ')).map(({ name, summary }) => ({ word: name, summary }));
  const all = await Promise.all(
    commands.map(async ({ name, load }): Promise<CompletedCommand> => {
      const { command } = await load();
      return {
        name,
        below: commands
          .filter((other) => other.name.startsWith(`${name} `))
          .map((other) => ({ word: other.name.slice(name.length + 1), summary: other.summary })),
        flags: Object.entries(command.options).map(([option, { description, placeholder }]) => ({
          word: longFlag(option),
          summary: description,
          takesValue: placeholder !== undefined,
        })),
      };
    }),
  );
  return [{ name: '', below: [...top, { word: 'help', summary: 'show the help of a command' }], flags: [] }, ...all];
}
