import { nearest } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';

/** Maximum characters of a word in an error. */
const SHOWN = 100;

/** The error for an unknown command, with suggestions. */
export function unknownCommand(word: string, names: readonly string[]): SynapseError {
  const near = nearest(word, names);
  return new SynapseError('invalid_arguments', `Unknown command: ${word.slice(0, SHOWN)}`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'synapse --help lists the commands.',
  });
}

/** The same for a subcommand: `mcp instal` suggests `install`. */
export function unknownCommandBelow(parent: string, word: string, names: readonly string[]): SynapseError {
  const near = nearest(word, names).map((name) => `${parent} ${name}`);
  const all = names.map((name) => `${parent} ${name}`).join(', ');
  return new SynapseError('invalid_arguments', `Unknown command: ${parent} ${word.slice(0, SHOWN)}`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The commands are: ${all}.`,
  });
}

/** The error for an option where a command is expected. */
export function optionBeforeCommand(word: string): SynapseError {
  return new SynapseError('invalid_arguments', `Unknown option: ${word.slice(0, SHOWN)}`, {
    hint: 'Options follow the command: synapse <command> --help lists them.',
  });
}
