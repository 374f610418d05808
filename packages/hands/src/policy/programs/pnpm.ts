import type { Program } from '../program.ts';

/** pnpm 10. */
export const programs: readonly Program[] = [
  {
    names: 'pnpm',
    codeOptions: '--script-shell --node-options --shell-mode --dir -C --config.*',
    onlyReads: ['--version', '-v', 'ls *', 'list *', 'll *', 'why *', 'root *', 'bin *'],
    aliases: [
      'install = i',
      'remove = rm = uninstall = un = uni',
      'update = up = upgrade',
      'run = run-script',
      'test = t = tst',
      'link = ln',
      'rebuild = rb',
      'install-test = it',
    ],
    naming: { words: 2, deeper: 'run' },
    runsInstalled: ['exec'],
    runsIn: { packages: ['dlx', 'exec', 'create'] },
  },
  { names: 'pnpx', runs: 'packages' },
];
