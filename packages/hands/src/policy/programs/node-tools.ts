import type { Program } from '../program.ts';

/** Compilers, test runners and linters of JavaScript projects. */
export const programs: readonly Program[] = [
  { names: 'tsc', onlyReads: ['--version', '-v'], naming: 1 },
  { names: 'vitest jest mocha eslint prettier oxlint oxfmt biome', naming: 1 },
  { names: 'turbo nx lerna', naming: 2 },
];
