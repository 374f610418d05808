import type { Program } from '../program.ts';

/** Archive programs. */
export const programs: readonly Program[] = [
  {
    names: 'tar',
    // `-P` and the options after it write outside the folder, or under names that are not in the archive.
    codeOptions:
      '--checkpoint-action --to-command --use-compress-program -I --rsh-command --rmt-command --info-script --new-volume-script -F -T --files-from -P --absolute-names --transform --xform',
    also: (words, sink) => {
      for (const word of words.slice(1)) {
        // An archive on another machine, reached with a program such as ssh.
        if (word !== undefined && /^(?:-[A-Za-z]*f|--file=)?[^-/=][^/=]*:/u.test(word))
          sink.doubt(`"${word.slice(0, 60)}" may be on another machine`);
      }
    },
  },
  { names: 'zip', codeOptions: '-TT --unzip-command -@' },
];
