import type { Program } from '../program.ts';

/** Other languages, databases, editors and debuggers: programs that run code in their language. */
export const programs: readonly Program[] = [
  { names: 'perl lua luajit tclsh wish r rscript julia ghci runghc elixir iex erl osascript guile awk gawk mawk nawk bc dc', runs: 'code' },
  { names: 'mix flutter dart', naming: 2 },
  { names: 'sqlite psql mysql', runs: 'code' },
  { names: 'gdb lldb', runs: 'code' },
  // Editors and pagers, which can run programs.
  { names: 'vim vi nvim view', runs: 'code', worksWithoutTerminal: '-e -E -es -Es -s -c --cmd -S -l --headless --version --help -h' },
  { names: 'ex emacs ed man less more', runs: 'code' },
];
