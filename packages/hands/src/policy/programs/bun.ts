import type { Program } from '../program.ts';

/** Bun 1. */
export const programs: readonly Program[] = [
  {
    names: 'bun',
    onlyReads: ['--version', '-v', 'pm ls *'],
    aliases: ['install = i', 'add = a', 'remove = rm'],
    naming: { words: 2, deeper: 'run' },
    runsTasks: 'run',
    runsIn: { code: ['run', 'x', '-e'] },
  },
  { names: 'bunx', runs: 'packages', runsInstalled: [''], installedFlags: '--bun --silent' },
];
