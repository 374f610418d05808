import type { Program } from '../program.ts';

/** Package managers of operating systems. */
export const programs: readonly Program[] = [
  { names: 'apt apt-get dnf yum', naming: 2 },
  { names: 'brew', aliases: ['uninstall = remove = rm', 'install = instal'], naming: 2 },
];
