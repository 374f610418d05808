import type { Program } from '../program.ts';

/** Other languages, databases, editors and debuggers: programs that run code in their language. */
export const programs: readonly Program[] = [
  { names: 'perl lua luajit tclsh wish r rscript julia ghci runghc elixir iex erl osascript guile bc dc', runs: 'code' },
  // `system(…)` and pipes start programs, and other files may hold them.
  { names: 'awk gawk mawk nawk', runs: 'code', isPlainCode: (word) => !/system|[|@]|^-[a-zA-Z]*[fileE]|^--/u.test(word) },
  { names: 'mix flutter dart', naming: 2 },
  { names: 'sqlite psql mysql', runs: 'code' },
  { names: 'gdb lldb', runs: 'code' },
  // Editors and pagers, which can run programs.
  { names: 'vim vi nvim view', runs: 'code', worksWithoutTerminal: '-e -E -es -Es -s -c --cmd -S -l --headless --version --help -h' },
  { names: 'ex emacs ed man less more', runs: 'code' },
];
