import { namesOfAddresses } from '../curl-files.ts';
import type { Program } from '../program.ts';

/** wget 1. */
export const programs: readonly Program[] = [
  {
    names: 'wget',
    words: {
      options: {
        data: '-A --header --user-agent --max-time --retry --post-data -U -t -T',
        write: '-O --output-document -o -a',
        writeTree: '-P --directory-prefix',
        code: '-i --input-file -e --execute --config --use-askpass',
        read: '--post-file --body-file',
      },
      operands: 'url',
    },
    flags:
      '46cNqSv -nc -nd -nv -nH -np quiet verbose no-verbose continue server-response spider no-check-certificate show-progress no-clobber timestamping https-only no-directories no-host-directories no-parent no-config tries= timeout= wait= waitretry= progress= limit-rate= max-redirect= connect-timeout= read-timeout= dns-timeout=',
    also: (words, sink) => {
      // Output without a path is written to the working folder.
      for (const target of ['.', ...namesOfAddresses(words)]) sink.add('write', target);
    },
  },
];
