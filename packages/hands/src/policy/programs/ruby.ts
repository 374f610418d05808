import type { Program } from '../program.ts';

/** Ruby, RubyGems 3, and their tools. */
export const programs: readonly Program[] = [
  { names: 'ruby', onlyReads: ['--version', '-v'], runs: 'code' },
  { names: 'irb rake', runs: 'code' },
  { names: 'bundle', naming: 2, runsIn: { packages: ['exec'] } },
  { names: 'gem', abbreviates: 'build cert cleanup exec fetch install owner pristine push signin uninstall update yank', naming: 2 },
  { names: 'rspec rubocop', naming: 1 },
];
