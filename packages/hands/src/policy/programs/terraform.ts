import type { Program } from '../program.ts';

/** Programs that set up machines. */
export const programs: readonly Program[] = [
  { names: 'terraform', naming: { words: 2, deeper: 'state' } },
  { names: 'vagrant ansible', runs: 'elsewhere' },
];
