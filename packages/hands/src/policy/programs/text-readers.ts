import type { Program } from '../program.ts';

/** Programs that print, count or compare file contents. */
export const programs: readonly Program[] = [
  {
    names: 'cat',
    words: { operands: 'read' },
    flags: 'AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    naming: 1,
  },
  { names: 'tac', words: { options: { data: '-s' }, operands: 'read' }, flags: 'br before regex separator=' },
  {
    names: 'nl',
    words: { options: { data: '-b -d -f -h -i -l -n -s -v -w' }, operands: 'read' },
    flags: 'p no-renumber body-numbering= number-format= number-width= starting-line-number= number-separator=',
  },
  { names: 'rev', words: { operands: 'read' }, flags: '0 zero' },
  {
    names: 'strings',
    words: { options: { data: '-n -t -e' }, operands: 'read' },
    flags: 'afwo all print-file-name include-all-whitespace bytes= radix= encoding=',
  },
  {
    names: 'head',
    words: { options: { data: '-n -c --lines --bytes -s --pid' }, operands: 'read' },
    flags: 'qvz0123456789 quiet silent verbose zero-terminated',
    naming: 1,
  },
  {
    names: 'tail',
    words: { options: { data: '-n -c --lines --bytes -s --pid' }, operands: 'read' },
    flags: 'fFqrvz0123456789 follow? retry quiet silent verbose zero-terminated sleep-interval= max-unchanged-stats=',
    naming: 1,
  },
  {
    names: 'wc',
    startsNothing: true,
    words: { options: { code: '--files0-from' }, operands: 'read' },
    flags: 'cmlLw bytes chars lines max-line-length words total=',
    naming: 1,
  },
  {
    names: 'cut',
    words: { options: { data: '-d -f -c -b --delimiter --fields' }, operands: 'read' },
    flags: 'nsz only-delimited complement zero-terminated output-delimiter= bytes= characters=',
    naming: 1,
  },
  { names: 'paste', words: { options: { data: '-d' }, operands: 'read' }, flags: 'sz serial zero-terminated delimiters=' },
  { names: 'fold', words: { options: { data: '-w' }, operands: 'read' }, flags: 'bs bytes spaces width=' },
  { names: 'comm', words: { operands: 'read' }, flags: '123iz check-order nocheck-order total zero-terminated output-delimiter=' },
  { names: 'cmp', words: { options: { data: '-i -n' }, operands: 'read' }, flags: 'bls print-bytes verbose silent quiet bytes= ignore-initial=' },
  {
    names: 'join',
    words: { options: { data: '-t -o -1 -2 -j -a -e -v' }, operands: 'read' },
    flags: 'iz ignore-case header check-order nocheck-order zero-terminated',
  },
  {
    names: 'diff',
    words: {
      options: { data: '-U -C -x --exclude -I -F -L -W', readTree: '--to-file --from-file', read: '-X --exclude-from' },
      // Given two folders, diff compares the files in them, even without -r.
      operands: 'readTree',
    },
    flags:
      'aBbcdEeilNnpqrsTtuwyZ0123456789 normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= recursive new-file unidirectional-new-file ignore-file-name-case ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal horizon-lines= speed-large-files color? palette=',
    naming: 1,
  },
  {
    names: 'sort',
    words: {
      options: {
        write: '-o --output',
        data: '-k --key -t -S',
        writeTree: '-T --temporary-directory',
        code: '--compress-program --files0-from',
        read: '--random-source',
      },
      operands: 'read',
    },
    flags:
      'bCcdfghiMmnRrsuVz ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse sort= version-sort batch-size= check? debug merge stable buffer-size= field-separator= parallel= unique zero-terminated',
    naming: 1,
  },
  {
    names: 'uniq',
    words: { options: { data: '-f -s -w' }, first: 'read', operands: 'write' },
    flags: 'cDdiuz count repeated all-repeated? group? ignore-case unique zero-terminated skip-fields= skip-chars= check-chars=',
    naming: 1,
  },
  {
    names: 'od',
    words: { options: { data: '-A -t -N -j' }, attached: { data: '-w' }, operands: 'read' },
    flags: 'abcdfhilosxv output-duplicates traditional width? address-radix= endian= skip-bytes= read-bytes= format= strings?',
  },
  {
    names: 'xxd',
    words: { options: { data: '-s -l -c -g -o' }, first: 'read', operands: 'write' },
    flags: 'abCeEipru -ps -plain -postscript -revert -autoskip -bits -include -uppercase',
  },
  {
    names: 'hexdump',
    words: { options: { data: '-n -s -e', read: '-f' }, operands: 'read' },
    flags: 'bCcdovx one-byte-octal canonical one-byte-char two-bytes-decimal two-bytes-octal two-bytes-hex no-squeezing length= skip=',
  },
  { names: 'base64', words: { options: { data: '-w', read: '-i', write: '-o' }, operands: 'read' }, flags: 'dD decode ignore-garbage wrap=' },
  { names: 'md5sum sha256sum', words: { operands: 'read' }, flags: 'btz binary text tag zero', naming: 1 },
  { names: 'sha1sum sha512sum', words: { operands: 'read' }, flags: 'btz binary text tag zero' },
  { names: 'cksum', words: { operands: 'read' }, flags: 'z tag untagged zero raw base64 algorithm=' },
  // With -f, zcat also prints files that are not compressed.
  {
    names: 'zcat',
    words: { options: { data: '-S' }, operands: 'read', switches: { readTree: '-r --recursive' } },
    flags: 'fqv stdout to-stdout decompress uncompress force keep list no-name name quiet recursive test verbose fast best rsyncable suffix=',
  },
  { names: 'column batcat tokei', onlyReads: ['*'] },
  { names: 'bat', codeOptions: '--pager --config-file', onlyReads: ['*'] },
  { names: 'cloc shellcheck', onlyReads: ['*'], naming: 1 },
  { names: 'yq', onlyReads: ['--version'] },
];
