import type { Program } from '../program.ts';

/** jq 1.7. */
export const programs: readonly Program[] = [
  {
    names: 'jq',
    startsNothing: true,
    words: {
      // A filter file may import other files.
      options: { code: '-f --from-file -L', data: '--arg --argjson --slurpfile --rawfile --indent' },
      second: { data: '--arg --argjson', read: '--slurpfile --rawfile' },
      first: 'script',
      firstIsOption: '-f --from-file',
      operands: 'read',
      // Modules are read from files, and imported data from any file.
      check: (filter) => !/\b(?:import|include)\b/u.test(filter),
    },
    flags:
      'aCcehjMnRrSs ascii-output color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output raw-output0 sort-keys slurp tab unbuffered stream seq args jsonargs',
    naming: 1,
  },
];
