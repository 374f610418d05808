import type { Program } from '../program.ts';

/** Programs that list file names and metadata. */
export const programs: readonly Program[] = [
  {
    names: 'ls',
    words: { options: { data: '-I --ignore -T --sort --time -w' }, operands: 'list' },
    flags:
      '1AaBbCcdFfGgHhikLlmNnopQqRrSstUuvXxZ all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group human-readable si dereference-command-line dereference hide= hyperlink? indicator-style= inode kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size time-style= tabsize= width= zero context',
    naming: 1,
  },
  {
    names: 'stat',
    words: { options: { data: '-c --format --printf' }, operands: 'list' },
    flags: 'fLt dereference file-system terse cached=',
    naming: 1,
  },
  {
    names: 'file',
    words: { options: { read: '-m -f --files-from --magic-file', data: '-e -F -P' }, operands: 'read' },
    flags:
      'bhikLNnprsz0 brief mime mime-type mime-encoding extension dereference no-dereference keep-going no-buffer no-pad raw special-files uncompress print0 exclude= separator= parameter=',
    naming: 1,
  },
  {
    names: 'du',
    startsNothing: true,
    words: { options: { data: '-d --max-depth --exclude -t -B', code: '--files0-from', read: '-X --exclude-from' }, operands: 'list' },
    flags:
      '0abchHDkLlmPSsx all apparent-size bytes total human-readable si summarize separate-dirs dereference no-dereference dereference-args count-links one-file-system inodes null threshold= block-size= time? time-style=',
    naming: 1,
  },
  {
    names: 'df',
    words: { options: { data: '-t -x -B' }, operands: 'list' },
    flags: 'ahHiklPT all human-readable si inodes local portability print-type total sync no-sync type= exclude-type= output? block-size=',
    naming: 1,
  },
  {
    names: 'tree',
    words: { options: { data: '-L -I -P', write: '-o', read: '--fromfile' }, operands: 'list' },
    flags:
      'aACcDdFfghiJlNnpQqrSstUuvXx dirsfirst filesfirst noreport prune gitignore du si inodes device matchdirs metafirst ignore-case charset= filelimit= timefmt= sort=',
    naming: 1,
  },
  {
    names: 'readlink',
    words: { operands: 'list' },
    flags: 'efmnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero',
  },
  {
    names: 'realpath',
    words: { operands: 'list' },
    flags: 'eLmPqsz canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to= relative-base=',
  },
  { names: 'cd', words: { operands: 'list' }, flags: 'eLP' },
  { names: 'pushd', words: { operands: 'list' }, flags: '' },
  { names: 'eza exa', onlyReads: ['*'] },
];
