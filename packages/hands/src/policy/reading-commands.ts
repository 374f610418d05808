import type { KnownWord } from './command-pattern.ts';

/**
 * Command lines that only read, of programs whose words are not read one by one. `*` at the end stands for any further words.
 * A wrong row costs time and nothing else: such a command runs on a read-only workspace without network.
 */
const READING: Readonly<Record<string, readonly string[]>> = {
  node: ['--version', '-v', '--help'],
  npm: ['--version', '-v', 'ls *', 'list *', 'll *', 'la *', 'prefix *', 'root *', 'bin *', 'explain *', 'why *', 'query *', 'pkg get *', 'help *'],
  npx: ['--version'],
  pnpm: ['--version', '-v', 'ls *', 'list *', 'll *', 'why *', 'root *', 'bin *'],
  yarn: ['--version', '-v', 'list *', 'why *', 'info *'],
  bun: ['--version', '-v', 'pm ls *'],
  deno: ['--version', '-V'],
  tsc: ['--version', '-v'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  pip: ['--version', 'list *', 'show *', 'freeze *'],
  pip3: ['--version', 'list *', 'show *', 'freeze *'],
  uv: ['--version', 'tree *', 'pip list *', 'pip show *', 'pip freeze *'],
  ruby: ['--version', '-v'],
  cargo: ['--version', '-V', 'metadata *', 'tree *', 'locate-project *', 'pkgid *'],
  rustc: ['--version', '-V'],
  go: ['version *', 'env', 'list *'],
  java: ['-version', '--version'],
  make: ['--version', '-v'],
  cmake: ['--version'],
  gcc: ['--version'],
  clang: ['--version'],
  docker: ['--version'],
  printenv: ['*'],
  hostname: [''],
  nproc: ['*'],
  uptime: [''],
  groups: [''],
  tty: [''],
  locale: ['*'],
  tokei: ['*'],
  cloc: ['*'],
  fd: ['*'],
  fdfind: ['*'],
  bat: ['*'],
  batcat: ['*'],
  ag: ['*'],
  ack: ['*'],
  eza: ['*'],
  exa: ['*'],
  column: ['*'],
  yq: ['--version'],
  command: ['-v *', '-V *'],
  shellcheck: ['*'],
};

/** Whether a command of a program that is not in the tables of words only reads. */
export function onlyReads(name: string, words: readonly KnownWord[]): boolean {
  const rows = Object.hasOwn(READING, name) ? READING[name] : undefined;
  return rows?.some((row) => beginsWith(row, words.slice(1))) === true;
}

function beginsWith(row: string, given: readonly KnownWord[]): boolean {
  const expected = row === '' ? [] : row.split(' ');
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? given.length < fixed.length : given.length !== fixed.length) return false;
  return given.every((word) => word !== undefined) && fixed.every((word, index) => given[index] === word);
}
