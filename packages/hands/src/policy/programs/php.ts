import type { Program } from '../program.ts';

/** PHP and Composer 2. */
export const programs: readonly Program[] = [
  { names: 'php', runs: 'code' },
  {
    names: 'composer',
    aliases: ['install = i', 'update = u = upgrade', 'require = r', 'remove = rm = uninstall', 'run-script = run'],
    abbreviates: 'archive bump config create-project exec global init reinstall self-update',
    naming: 2,
  },
  { names: 'phpunit', naming: 1 },
];
