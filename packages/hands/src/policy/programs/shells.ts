import type { KnownWord } from '../command-pattern.ts';
import type { HeldCommands, Program } from '../program.ts';
import { heldByShell } from '../shell-words.ts';

const holds = (words: readonly KnownWord[]): HeldCommands => ({ ...heldByShell(words), unknown: ['a shell is started inside the shell'] });

/** Returns the text that the shell itself runs. */
const textOf = (words: readonly KnownWord[]): HeldCommands => ({
  texts: words.every((word) => word !== undefined) ? [words.join(' ')] : [],
});

/** Shells, and shell built-ins that run text. */
export const programs: readonly Program[] = [
  { names: 'sh bash rbash zsh dash ash ksh mksh yash fish csh tcsh', runs: 'commands', shell: true, holds },
  { names: 'su runuser', runs: 'power', shell: true, holds },
  // The text that these run is not analyzed.
  { names: 'nu elvish xonsh pwsh powershell cmd source . alias', runs: 'commands' },
  { names: 'eval', runs: 'commands', holds: (words) => textOf(words.slice(1)) },
  { names: 'trap', runs: 'commands', holds: (words) => textOf(words.slice(1, 2)) },
];
