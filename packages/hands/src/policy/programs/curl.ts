import type { KnownWord } from '../command-pattern.ts';
import { namesOfAddresses, sentFiles } from '../curl-files.ts';
import type { Program, WordSink } from '../program.ts';

/** Adds the files that curl sends, and downloads named after their address. Only curl can expand globs, so those raise a doubt. */
function readTransfers(words: readonly KnownWord[], sink: WordSink): void {
  if (words.some((word) => word !== undefined && /^-[a-zA-Z]*O|^--remote-name/u.test(word)))
    for (const target of ['.', ...namesOfAddresses(words)]) sink.add('write', target);
  const { reads, possiblePaths } = sentFiles(words);
  for (const file of reads) sink.add('read', file);
  for (const file of possiblePaths) sink.possiblePath(file);
  const uploads = words.some((word) => word !== undefined && /^-[^-]*T|^--upload/u.test(word));
  if (uploads && words.some((word) => word !== undefined && /[{[]/u.test(word))) sink.doubt('curl finds the files that it sends');
}

/** curl 8. */
export const programs: readonly Program[] = [
  {
    names: 'curl',
    startsNothing: true,
    words: {
      options: {
        data: '-A --header --user-agent --max-time --retry -H -r -d --data --data-raw --data-binary --data-urlencode --json -F --form -X --request -u --user -e -m --connect-timeout',
        write: '-o --output --libcurl --etag-save --hsts --alt-svc -c -D --dump-header --cookie-jar --trace --trace-ascii --stderr',
        read: '--etag-compare -T --upload-file -b --cookie -E --cert --key --cacert --netrc-file',
        writeTree: '--output-dir',
        // `%output{file}` in the format writes the file.
        script: '-w --write-out',
        code: '-K --config --resolve --connect-to --unix-socket',
        url: '-x --proxy --preproxy --socks5 --url',
      },
      operands: 'url',
      check: (format) => !/%output/iu.test(format),
    },
    flags:
      '#012346fGgIikLNOqRSsv fail fail-with-body silent show-error location head include verbose globoff get no-buffer ipv4 ipv6 insecure compressed http1.0 http1.1 http2 http3 tlsv1.2 tlsv1.3 remote-name create-dirs progress-bar no-progress-meter no-keepalive retry-connrefused retry-all-errors remove-on-error path-as-is remote-time ssl-reqd disable retry-delay= retry-max-time= max-redirs= speed-limit= speed-time= limit-rate= range= referer= max-filesize= time-cond= tls-max= ciphers=',
    also: readTransfers,
  },
];
