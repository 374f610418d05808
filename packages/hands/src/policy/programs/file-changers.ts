import type { Program } from '../program.ts';

const GZIP = 'stdout to-stdout decompress uncompress force keep list no-name name quiet recursive test verbose fast best rsyncable suffix=';
const OWNERS = 'changes quiet silent verbose dereference no-dereference preserve-root no-preserve-root recursive from=';
const COPYING = 'backup? debug force interactive no-clobber verbose no-target-directory suffix= update? strip-trailing-slashes';
/** Programs that create, copy, move, change and delete files. */
export const programs: readonly Program[] = [
  {
    names: 'cp',
    words: {
      options: { writeTree: '-t --target-directory', suffix: '-S --suffix' },
      operands: 'read',
      last: 'write',
      lastIsOption: '-t --target-directory',
      switches: { link: '-l --link -s --symbolic-link', readTree: '-r -R -a --recursive --archive' },
    },
    flags: `abdfHiLlnPpRrsTuvx ${COPYING} archive attributes-only dereference link symbolic-link no-dereference parents preserve? no-preserve= recursive reflink? sparse= remove-destination copy-contents one-file-system`,
    naming: 1,
  },
  {
    names: 'mv',
    words: {
      options: { writeTree: '-t --target-directory', suffix: '-S --suffix' },
      operands: 'move',
      last: 'write',
      lastIsOption: '-t --target-directory',
    },
    flags: `bfinTuv ${COPYING} no-copy exchange`,
    naming: 1,
  },
  {
    names: 'ln',
    words: {
      options: { writeTree: '-t --target-directory', suffix: '-S --suffix' },
      operands: 'link',
      last: 'write',
      lastIsOption: '-t --target-directory',
    },
    flags: `bdFfiLnPrsTv ${COPYING} directory logical physical symbolic relative no-dereference`,
  },
  {
    names: 'install',
    words: {
      options: { writeTree: '-t --target-directory', suffix: '-S --suffix', data: '-m --mode -o -g', code: '--strip-program' },
      operands: 'read',
      last: 'write',
      lastIsOption: '-t --target-directory',
      switches: { write: '-d --directory' },
    },
    flags: `bCcDdpTv ${COPYING} compare directory preserve-timestamps owner= group=`,
  },
  {
    names: 'rm',
    words: { operands: 'delete', switches: { deleteTree: '-r -R --recursive' } },
    flags: 'dfIiRrv force interactive? one-file-system no-preserve-root preserve-root? recursive dir verbose',
    naming: 1,
  },
  { names: 'rmdir', words: { operands: 'delete' }, flags: 'pv parents ignore-fail-on-non-empty verbose', naming: 1 },
  { names: 'unlink', words: { operands: 'delete' }, flags: '' },
  {
    names: 'shred',
    words: { options: { data: '-n -s', read: '--random-source' }, operands: 'delete' },
    flags: 'fuvxz force remove? verbose exact zero iterations= size=',
  },
  { names: 'tee', words: { operands: 'write' }, flags: 'aip append ignore-interrupts output-error?' },
  {
    names: 'touch',
    words: { options: { data: '-d -t --date', list: '-r --reference' }, operands: 'write' },
    flags: 'acfhm no-create no-dereference time=',
    naming: 1,
  },
  { names: 'truncate', words: { options: { data: '-s --size', list: '-r --reference' }, operands: 'write' }, flags: 'co no-create io-blocks' },
  { names: 'mkdir', words: { options: { data: '-m --mode' }, operands: 'write' }, flags: 'pvZ parents verbose context?', naming: 1 },
  { names: 'mkfifo', words: { options: { data: '-m' }, operands: 'write' }, flags: 'Z context? mode=' },
  {
    names: 'chmod',
    words: {
      options: { list: '--reference' },
      first: 'data',
      firstIsOption: '--reference -r -w -x -X -s -t -u -g -o -,',
      operands: 'write',
      switches: { writeTree: '-R --recursive' },
    },
    // `chmod -x file`: the mode itself looks like an option.
    flags: `cfRv,grwxXstuo ${OWNERS}`,
    naming: 1,
  },
  {
    names: 'chown',
    words: {
      options: { list: '--reference' },
      first: 'data',
      firstIsOption: '--reference',
      operands: 'write',
      switches: { writeTree: '-R --recursive' },
    },
    flags: `cfhHLPRv ${OWNERS}`,
  },
  {
    names: 'chgrp',
    words: { first: 'data', operands: 'write', switches: { writeTree: '-R --recursive' } },
    flags: `cfhHLPRv ${OWNERS}`,
  },
  {
    names: 'gzip',
    words: { options: { suffix: '-S' }, operands: 'readWrite', switches: { readWriteTree: '-r --recursive' } },
    flags: `123456789cdfklNnqrtv ${GZIP}`,
  },
  {
    names: 'gunzip',
    words: { options: { suffix: '-S' }, operands: 'readWrite', switches: { readWriteTree: '-r --recursive' } },
    flags: `cfklNnqrtv ${GZIP}`,
  },
  {
    names: 'patch',
    words: {
      options: { read: '-i --input', write: '-o --output', code: '-d --directory', data: '-p -F' },
      first: 'readWrite',
      operands: 'read',
      // Without operands, the patch names the files.
      alone: 'writeTree',
    },
    flags:
      'bcEflNnRstu backup context dry-run remove-empty-files force ignore-whitespace normal forward reverse quiet silent batch unified verbose strip= fuzz= read-only= reject-format=',
  },
  {
    names: 'split',
    words: { options: { data: '-b -l -n -a -C -t', code: '--filter' }, first: 'read', operands: 'write' },
    flags:
      'dexu numeric-suffixes? hex-suffixes? additional-suffix= elide-empty-files unbuffered verbose bytes= lines= number= suffix-length= line-bytes= separator=',
  },
];
