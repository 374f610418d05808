import { findProgram, listed } from './program-table.ts';
import { PROGRAM_FILES } from './programs.ts';
import { shellEffects } from './shell-effects.ts';

/** Input from a pipe or a file. A program with such input may end without keys. */
const HAS_INPUT = /[|<]/u;
/** Maximum length of a command that is looked at. Longer ones are scripts, and reading one can take seconds. */
const MAX_LENGTH = 2_000;

const NAMES = PROGRAM_FILES.flat().flatMap(({ names, worksWithoutTerminal }) => (worksWithoutTerminal === undefined ? [] : listed(names)));
/** Whether a command may name such a program. Quotes and escapes can hide a name. */
export const MAY_NEED_TERMINAL = new RegExp(`${NAMES.join('|')}|['"\\\\]`, 'u');

/** Returns the program in a command that waits for keys of a terminal, such as `vim file`; undefined if no known program does. */
export function needsTerminal(command: string): string | undefined {
  if (command.length > MAX_LENGTH || HAS_INPUT.test(command)) return undefined;
  for (const { name, words } of shellEffects(command).execs) {
    const without = name === undefined ? undefined : findProgram(name)?.worksWithoutTerminal;
    if (without === undefined) continue;
    const isScripted = words.some((word) => word === undefined || word === '-' || word.startsWith('+') || listed(without).includes(word));
    if (!isScripted) return name;
  }
  return undefined;
}
