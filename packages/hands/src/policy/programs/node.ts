import type { Program } from '../program.ts';

/** Node.js, and other programs that run JavaScript. */
export const programs: readonly Program[] = [
  { names: 'node', onlyReads: ['--version', '-v', '--help'], runs: 'code' },
  { names: 'nodejs tsx ts-node', runs: 'code' },
  { names: 'deno', onlyReads: ['--version', '-V'], runs: 'code' },
  { names: 'corepack', runs: 'commands' },
  { names: 'nvm volta', naming: 2 },
];
