/**
 * What a word of a command stands for:
 * `data` nothing outside the program · `read`, `write`, `delete` a file · `list` names and facts of a file ·
 * `readTree`, `deleteTree` a folder and all below it · `readWrite` both · `move` read and gone from there ·
 * `url` another machine · `code` something that is run.
 */
export type Role = 'data' | 'read' | 'list' | 'write' | 'delete' | 'readWrite' | 'readTree' | 'writeTree' | 'deleteTree' | 'move' | 'url' | 'code';

/** What a program does with its words. Options are written as on the command line: `-o`, `--output`. */
export interface Program {
  /** Options with a value, and what the value is. A long name is also known by its beginning, as GNU does. */
  readonly options?: Readonly<Record<string, Role>>;
  /** What the operands are, where `first` and `last` do not say otherwise. */
  readonly operands?: Role;
  readonly first?: Role;
  /** Not used where the first operand is the only one, nor where one of these options took its place. */
  readonly last?: Role;
  /** Options in whose presence the first operand is like all others. */
  readonly firstIsOption?: readonly string[];
  readonly lastIsOption?: readonly string[];
  /** Options without a value that make every operand something else. */
  readonly switches?: Readonly<Record<string, Role>>;
  /** What is read when there are no operands at all; `.` for programs that walk. */
  readonly withoutOperands?: Role;
  /** Words that only become known when the command runs can do no harm: no word names a file. */
  readonly anyWords?: boolean;
  /** The first operand must pass this to be data, else it is code. */
  readonly check?: (script: string) => boolean;
  /** It talks to machines that no word names. */
  readonly network?: boolean;
}

const DATA: Program = { operands: 'data', anyWords: true };
const READ: Program = { operands: 'read' };
const LIST: Program = { operands: 'list' };

/** One `sed` command that neither runs a program (`e`) nor touches a file (`r`, `w`). */
const SED_ADDRESS = String.raw`(?:(?:\d+|\$|/(?:\\.|[^/\\\n])*/)(?:,(?:\+?\d+|\$|/(?:\\.|[^/\\\n])*/))?\s*!?)?`;
const SED_SUBSTITUTE = ['/', '|', '#', ',', ':', '@', '~']
  .map((mark) => {
    const part = String.raw`(?:\\.|[^${mark}\\\n])*`;
    return `s${mark === '|' ? String.raw`\|` : mark}${part}${mark === '|' ? String.raw`\|` : mark}${part}${mark === '|' ? String.raw`\|` : mark}[gpiIM0-9]*`;
  })
  .join('|');
const SED_SAFE = new RegExp(String.raw`^\s*(?:${SED_ADDRESS}\s*(?:[pdqPDGgHhxnN=]|${SED_SUBSTITUTE})\s*(?:;\s*|$))+$`, 'u');

/** Whether a sed script only changes text. Long scripts are not looked at: the pattern may backtrack. */
export function isPlainSedScript(script: string): boolean {
  return script.length <= 500 && SED_SAFE.test(script);
}

const COPY: Program = {
  options: { '-t': 'write', '--target-directory': 'write', '-S': 'data', '--suffix': 'data' },
  operands: 'read',
  last: 'write',
  lastIsOption: ['-t', '--target-directory'],
};
const HEAD: Program = {
  options: { '-n': 'data', '-c': 'data', '--lines': 'data', '--bytes': 'data', '-s': 'data', '--pid': 'data' },
  operands: 'read',
};
const GREP: Program = {
  options: {
    '-e': 'data',
    '--regexp': 'data',
    '-f': 'read',
    '--file': 'read',
    '-A': 'data',
    '-B': 'data',
    '-C': 'data',
    '-m': 'data',
    '-d': 'data',
    '-D': 'data',
    '--context': 'data',
    '--after-context': 'data',
    '--before-context': 'data',
    '--max-count': 'data',
    '--include': 'data',
    '--exclude': 'data',
    '--exclude-dir': 'data',
    '--exclude-from': 'read',
    '--color': 'data',
    '--label': 'data',
  },
  first: 'data',
  firstIsOption: ['-e', '--regexp', '-f', '--file'],
  operands: 'read',
  switches: { '-r': 'readTree', '-R': 'readTree', '--recursive': 'readTree', '--dereference-recursive': 'readTree' },
};
const RIPGREP: Program = {
  options: {
    ...GREP.options,
    '-g': 'data',
    '--glob': 'data',
    '--iglob': 'data',
    '-t': 'data',
    '-T': 'data',
    '--type': 'data',
    '--type-not': 'data',
    '-j': 'data',
    '--threads': 'data',
    '-M': 'data',
    '--max-columns': 'data',
    '--max-depth': 'data',
    '-d': 'data',
    '--sort': 'data',
    '--sortr': 'data',
    '-r': 'data',
    '--replace': 'data',
    '-E': 'data',
    '--encoding': 'data',
    '--ignore-file': 'read',
    '--pre': 'code',
    '--hostname-bin': 'code',
  },
  first: 'data',
  firstIsOption: ['-e', '--regexp', '-f', '--file', '--files'],
  operands: 'readTree',
  withoutOperands: 'readTree',
};
const DOWNLOAD: Record<string, Role> = {
  '-A': 'data',
  '-H': 'data',
  '--header': 'data',
  '--user-agent': 'data',
  '--max-time': 'data',
  '--retry': 'data',
};

/**
 * Programs whose words are understood. For any other program every word that may be a path is compared
 * with what is denied; nothing is concluded from it.
 */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  // Words are only printed, compared or counted.
  echo: DATA,
  printf: DATA,
  true: DATA,
  false: DATA,
  ':': DATA,
  pwd: DATA,
  whoami: DATA,
  id: DATA,
  uname: DATA,
  sleep: DATA,
  seq: DATA,
  expr: DATA,
  basename: DATA,
  dirname: DATA,
  exit: DATA,
  return: DATA,
  break: DATA,
  continue: DATA,
  wait: DATA,
  which: DATA,
  type: DATA,
  date: { options: { '-f': 'read', '--file': 'read', '-r': 'list', '--reference': 'list', '-d': 'data', '--date': 'data' }, operands: 'data' },
  tr: { operands: 'data' },
  test: { operands: 'list' },
  '[': { operands: 'list' },
  // Content of files.
  cat: READ,
  tac: READ,
  nl: READ,
  rev: READ,
  strings: READ,
  head: HEAD,
  tail: HEAD,
  wc: { options: { '--files0-from': 'code' }, operands: 'read' },
  cut: { options: { '-d': 'data', '-f': 'data', '-c': 'data', '-b': 'data', '--delimiter': 'data', '--fields': 'data' }, operands: 'read' },
  paste: { options: { '-d': 'data' }, operands: 'read' },
  fold: { options: { '-w': 'data' }, operands: 'read' },
  comm: READ,
  cmp: READ,
  join: { options: { '-t': 'data', '-o': 'data', '-1': 'data', '-2': 'data', '-j': 'data' }, operands: 'read' },
  diff: {
    options: {
      '-U': 'data',
      '-C': 'data',
      '-x': 'data',
      '--exclude': 'data',
      '-I': 'data',
      '--to-file': 'read',
      '--from-file': 'read',
      '-X': 'read',
    },
    operands: 'read',
    switches: { '-r': 'readTree', '--recursive': 'readTree' },
  },
  sort: {
    options: {
      '-o': 'write',
      '--output': 'write',
      '-k': 'data',
      '--key': 'data',
      '-t': 'data',
      '-S': 'data',
      '-T': 'write',
      '--temporary-directory': 'write',
      '--compress-program': 'code',
      '--files0-from': 'code',
      '--random-source': 'read',
    },
    operands: 'read',
  },
  uniq: { options: { '-f': 'data', '-s': 'data', '-w': 'data' }, first: 'read', operands: 'write' },
  od: { options: { '-A': 'data', '-t': 'data', '-N': 'data', '-j': 'data', '-w': 'data' }, operands: 'read' },
  xxd: { options: { '-s': 'data', '-l': 'data', '-c': 'data', '-g': 'data' }, first: 'read', operands: 'write' },
  hexdump: { options: { '-n': 'data', '-s': 'data', '-e': 'data', '-f': 'read' }, operands: 'read' },
  base64: { options: { '-w': 'data', '-i': 'read', '-o': 'write' }, operands: 'read' },
  md5sum: READ,
  sha1sum: READ,
  sha256sum: READ,
  sha512sum: READ,
  cksum: READ,
  zcat: READ,
  jq: {
    options: {
      '-f': 'read',
      '--from-file': 'read',
      '--arg': 'data',
      '--argjson': 'data',
      '--slurpfile': 'read',
      '--rawfile': 'read',
      '-L': 'read',
      '--indent': 'data',
    },
    first: 'data',
    operands: 'read',
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rgrep: { ...GREP, operands: 'readTree', withoutOperands: 'readTree' },
  rg: RIPGREP,
  sed: {
    options: { '-e': 'code', '--expression': 'code', '-f': 'code', '--file': 'code', '-l': 'data' },
    first: 'code',
    firstIsOption: ['-e', '--expression', '-f', '--file'],
    operands: 'read',
    switches: { '-i': 'readWrite', '--in-place': 'readWrite' },
    check: isPlainSedScript,
  },
  // Names and facts only.
  ls: { options: { '-I': 'data', '--ignore': 'data', '--color': 'data', '--sort': 'data', '--time': 'data', '-w': 'data' }, ...LIST },
  stat: { options: { '-c': 'data', '--format': 'data', '--printf': 'data', '-f': 'data' }, ...LIST },
  file: { options: { '-m': 'read', '-f': 'read', '--files-from': 'read', '--magic-file': 'read' }, operands: 'read' },
  du: { options: { '-d': 'data', '--max-depth': 'data', '--exclude': 'data', '--files0-from': 'code', '-X': 'read' }, ...LIST },
  df: LIST,
  tree: { options: { '-L': 'data', '-I': 'data', '-P': 'data', '-o': 'write', '--fromfile': 'read' }, ...LIST },
  readlink: LIST,
  realpath: LIST,
  cd: LIST,
  pushd: LIST,
  // Changes.
  cp: { ...COPY, switches: { '-r': 'readTree', '-R': 'readTree', '-a': 'readTree', '--recursive': 'readTree', '--archive': 'readTree' } },
  mv: { ...COPY, operands: 'move' },
  ln: COPY,
  install: {
    ...COPY,
    options: { ...COPY.options, '-m': 'data', '--mode': 'data', '-o': 'data', '-g': 'data', '--strip-program': 'code' },
    switches: { '-d': 'write' },
  },
  rm: { operands: 'delete', switches: { '-r': 'deleteTree', '-R': 'deleteTree', '--recursive': 'deleteTree' } },
  rmdir: { operands: 'delete' },
  unlink: { operands: 'delete' },
  shred: { options: { '-n': 'data', '-s': 'data', '--random-source': 'read' }, operands: 'delete' },
  tee: { operands: 'write' },
  touch: { options: { '-d': 'data', '-t': 'data', '--date': 'data', '-r': 'list', '--reference': 'list' }, operands: 'write' },
  truncate: { options: { '-s': 'data', '--size': 'data', '-r': 'list', '--reference': 'list' }, operands: 'write' },
  mkdir: { options: { '-m': 'data', '--mode': 'data', '-Z': 'data' }, operands: 'write' },
  mkfifo: { options: { '-m': 'data' }, operands: 'write' },
  chmod: {
    options: { '--reference': 'list' },
    first: 'data',
    firstIsOption: ['--reference'],
    operands: 'write',
    switches: { '-R': 'writeTree', '--recursive': 'writeTree' },
  },
  chown: {
    options: { '--reference': 'list' },
    first: 'data',
    firstIsOption: ['--reference'],
    operands: 'write',
    switches: { '-R': 'writeTree', '--recursive': 'writeTree' },
  },
  chgrp: { first: 'data', operands: 'write', switches: { '-R': 'writeTree', '--recursive': 'writeTree' } },
  gzip: { options: { '-S': 'data' }, operands: 'readWrite', switches: { '-r': 'deleteTree' } },
  gunzip: { options: { '-S': 'data' }, operands: 'readWrite', switches: { '-r': 'deleteTree' } },
  patch: {
    options: { '-i': 'read', '--input': 'read', '-o': 'write', '-d': 'code', '-p': 'data', '--output': 'write', '--directory': 'code' },
    first: 'readWrite',
    operands: 'read',
  },
  split: { options: { '-b': 'data', '-l': 'data', '-n': 'data', '-a': 'data', '--filter': 'code' }, first: 'read', operands: 'write' },
  // Other machines.
  curl: {
    options: {
      ...DOWNLOAD,
      '-o': 'write',
      '--output': 'write',
      '--output-dir': 'write',
      '-d': 'data',
      '--data': 'data',
      '--data-raw': 'data',
      '--data-binary': 'data',
      '--data-urlencode': 'data',
      '--json': 'data',
      '-F': 'data',
      '--form': 'data',
      '-X': 'data',
      '--request': 'data',
      '-u': 'data',
      '--user': 'data',
      '-e': 'data',
      '-m': 'data',
      '-w': 'data',
      '--write-out': 'data',
      '--connect-timeout': 'data',
      '-T': 'read',
      '--upload-file': 'read',
      '-b': 'read',
      '-c': 'write',
      '-D': 'write',
      '--dump-header': 'write',
      '--cookie': 'read',
      '--cookie-jar': 'write',
      '--trace': 'write',
      '--trace-ascii': 'write',
      '--stderr': 'write',
      '-E': 'read',
      '--cert': 'read',
      '--key': 'read',
      '--cacert': 'read',
      '--netrc-file': 'read',
      '-K': 'code',
      '--config': 'code',
      '-x': 'url',
      '--proxy': 'url',
      '--preproxy': 'url',
      '--socks5': 'url',
      '--resolve': 'code',
      '--connect-to': 'code',
      '--unix-socket': 'code',
      '--url': 'url',
    },
    operands: 'url',
  },
  wget: {
    options: {
      ...DOWNLOAD,
      '-O': 'write',
      '--output-document': 'write',
      '-o': 'write',
      '-a': 'write',
      '-P': 'write',
      '--directory-prefix': 'write',
      '-i': 'code',
      '--input-file': 'code',
      '-e': 'code',
      '--execute': 'code',
      '--config': 'code',
      '--use-askpass': 'code',
      '--post-file': 'read',
      '--body-file': 'read',
      '--post-data': 'data',
      '-U': 'data',
      '-t': 'data',
      '-T': 'data',
    },
    operands: 'url',
  },
};

/**
 * Options that make a program which is not in the table run another one, or take its orders from a file.
 * Long names also in a beginning of theirs.
 */
export const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  tar: [
    '--checkpoint-action',
    '--to-command',
    '--use-compress-program',
    '-I',
    '--rsh-command',
    '--rmt-command',
    '--info-script',
    '--new-volume-script',
    '-F',
  ],
  zip: ['-TT', '--unzip-command'],
  fd: ['-x', '-X', '--exec', '--exec-batch'],
  npm: ['--script-shell', '--node-options', '--shell', '--editor', '--viewer', '-c', '--call', '--prefix'],
  pnpm: ['--script-shell', '--node-options', '--shell-mode', '--dir'],
  yarn: ['--cwd', '--use-yarnrc'],
  cargo: ['--config'],
  go: ['-toolexec', '-exec', '-vettool', '-overlay', '-C'],
  gh: ['--editor'],
};

/** Programs that talk to machines which no word of theirs names. */
export const NETWORK_PROGRAMS: ReadonlySet<string> = new Set([
  'ping',
  'dig',
  'nslookup',
  'host',
  'whois',
  'telnet',
  'ftp',
  'sftp',
  'scp',
  'traceroute',
]);
