import type { Program } from '../program.ts';

/** Build programs that read rules from files. */
export const programs: readonly Program[] = [
  { names: 'make', onlyReads: ['--version', '-v'], runs: 'code' },
  { names: 'gmake', runs: 'code' },
  { names: 'cmake', onlyReads: ['--version'], naming: 2 },
  { names: 'ctest ninja', naming: 1 },
];
