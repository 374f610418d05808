import type { Program } from '../program.ts';

/** Yarn. */
export const programs: readonly Program[] = [
  {
    names: 'yarn',
    codeOptions: '--cwd --use-yarnrc',
    onlyReads: ['--version', '-v', 'list *', 'why *', 'info *'],
    naming: { words: 2, deeper: 'run' },
    runsInstalled: ['exec'],
    runsIn: { packages: ['dlx', 'exec', 'create'] },
  },
];
