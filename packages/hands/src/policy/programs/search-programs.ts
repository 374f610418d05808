import type { Program, WordTable } from '../program.ts';

const GREP: WordTable = {
  options: {
    data: '-e --regexp -A -B -C -m -d -D --context --after-context --before-context --max-count --include --exclude --exclude-dir --label',
    read: '-f --file --exclude-from',
  },
  first: 'data',
  firstIsOption: '-e --regexp -f --file',
  operands: 'read',
  // `-d recurse` equals `-r`.
  switches: { readTree: '-r -R --recursive --dereference-recursive -d --directories' },
};
const GREP_FLAGS =
  'abcEFGHhIiLlnoPqRrsTUvwxyZz0123456789 extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-with-matches files-without-match only-matching quiet silent no-messages with-filename no-filename line-number byte-offset initial-tab null text null-data line-buffered recursive dereference-recursive binary binary-files= devices= group-separator= no-group-separator';

/** Programs that search file contents. */
export const programs: readonly Program[] = [
  { names: 'grep egrep fgrep', words: GREP, flags: GREP_FLAGS, naming: 1 },
  { names: 'rgrep', words: { ...GREP, operands: 'readTree', withoutOperands: 'readTree' }, flags: GREP_FLAGS },
  {
    names: 'rg',
    words: {
      options: {
        data: '-e --regexp -A -B -C -m -d -D --context --after-context --before-context --max-count --include --exclude --exclude-dir --label --color -g --glob --iglob -t -T --type --type-not -j --threads -M --max-columns --max-depth --sort --sortr -r --replace -E --encoding',
        read: '-f --file --exclude-from --ignore-file',
        code: '--pre --hostname-bin',
      },
      first: 'data',
      firstIsOption: '-e --regexp -f --file --files',
      operands: 'readTree',
      withoutOperands: 'readTree',
    },
    flags:
      '.0abcFHhIilNnoPpqSsUuvwxz extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count hidden no-hidden no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-parent no-ignore-vcs files files-with-matches files-without-match count-matches line-number no-line-number heading no-heading smart-case case-sensitive only-matching quiet no-messages multiline multiline-dotall pcre2 no-pcre2 text binary unrestricted vimgrep column no-column trim no-trim json stats with-filename no-filename null null-data crlf no-config passthru one-file-system pretty byte-offset type-list line-buffered block-buffered search-zip max-filesize= colors= type-add= type-clear= engine= path-separator= context-separator= field-match-separator= field-context-separator= dfa-size-limit= regex-size-limit= maxdepth=',
    naming: 1,
  },
  { names: 'ag', codeOptions: '--pager', onlyReads: ['*'] },
  { names: 'ack', codeOptions: '--pager --ackrc --output', onlyReads: ['*'] },
];
