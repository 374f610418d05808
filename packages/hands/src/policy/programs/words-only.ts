import type { Program } from '../program.ts';

/** Programs that only print, compare or count their words. */
export const programs: readonly Program[] = [
  { names: 'echo pwd whoami uname which', words: { operands: 'data', anyWords: true }, naming: 1 },
  // Bash evaluates the subscript in `-v 'a[$(…)]'`.
  { names: 'printf', words: { options: { code: '-v' }, operands: 'data' }, naming: 1 },
  { names: 'true false : id sleep seq expr basename dirname exit return break continue type', words: { operands: 'data', anyWords: true } },
  { names: 'wait', words: { options: { code: '-p' }, operands: 'data', anyWords: true } },
  { names: 'test [', words: { options: { code: '-v -R' }, operands: 'list' } },
  {
    names: 'date',
    words: { options: { read: '-f --file', list: '-r --reference', data: '-d --date' }, attached: { data: '-I' }, operands: 'data' },
    flags: 'uR utc universal rfc-email rfc-3339= iso-8601?',
    naming: 1,
  },
  { names: 'tr', words: { operands: 'data' }, flags: 'cCdst complement delete squeeze-repeats truncate-set1', naming: 1 },
  { names: 'printenv nproc locale', onlyReads: ['*'] },
  { names: 'hostname uptime groups tty', onlyReads: [''] },
];
