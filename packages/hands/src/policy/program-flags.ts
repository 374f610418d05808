/** Options of a program that only change how it does what its table says. */
export interface ProgramFlags {
  /** `-l`, and digits. */
  readonly letters: ReadonlySet<string>;
  /** Whole words behind one dash: `-ps`. */
  readonly words: ReadonlySet<string>;
  /** Long names without a value. */
  readonly long: ReadonlySet<string>;
  /** Long names whose value can only stand behind `=`: the next word is none of theirs. */
  readonly optional: ReadonlySet<string>;
  /** Long names with a value that is only data. */
  readonly valued: readonly string[];
}

const CONTEXT = 'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count';
const HASHES = 'btz binary text tag zero';
const COPYING = 'backup? debug force interactive no-clobber verbose no-target-directory suffix= update? strip-trailing-slashes';
const OWNERS = 'changes quiet silent verbose dereference no-dereference preserve-root no-preserve-root recursive from=';
const GZIP = 'stdout to-stdout decompress uncompress force keep list no-name name quiet recursive test verbose fast best rsyncable suffix=';

/**
 * By program: letters, then long names; `name?` takes a value behind `=` only, `name=` any value, `-word` is
 * one word. An allow-list, as an option that nobody here has thought of may read, write or run anything, and
 * as GNU programs take any beginning of a long name: `--recurs` is not here, so it is asked about.
 */
const FLAGS: Readonly<Record<string, string>> = {
  date: 'uR utc universal rfc-email rfc-3339= iso-8601?',
  tr: 'cCdst complement delete squeeze-repeats truncate-set1',
  cat: 'AbeEnstTuv show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
  tac: 'br before regex separator=',
  nl: 'p no-renumber body-numbering= number-format= number-width= starting-line-number= number-separator=',
  rev: '0 zero',
  strings: 'afwo all print-file-name include-all-whitespace bytes= radix= encoding=',
  head: 'qvz0123456789 quiet silent verbose zero-terminated',
  tail: 'fFqrvz0123456789 follow? retry quiet silent verbose zero-terminated sleep-interval= max-unchanged-stats=',
  wc: 'cmlLw bytes chars lines max-line-length words total=',
  cut: 'nsz only-delimited complement zero-terminated output-delimiter= bytes= characters=',
  paste: 'sz serial zero-terminated delimiters=',
  fold: 'bs bytes spaces width=',
  comm: '123iz check-order nocheck-order total zero-terminated output-delimiter=',
  cmp: 'bls print-bytes verbose silent quiet bytes= ignore-initial=',
  join: 'iz ignore-case header check-order nocheck-order zero-terminated',
  diff: 'aBbcdEeilNnpqrsTtuwyZ0123456789 normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= recursive new-file unidirectional-new-file ignore-file-name-case ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal horizon-lines= speed-large-files color? palette=',
  sort: 'bCcdfghiMmnRrsuVz ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse sort= version-sort batch-size= check? debug merge stable buffer-size= field-separator= parallel= unique zero-terminated',
  uniq: 'cDdiuz count repeated all-repeated? group? ignore-case unique zero-terminated skip-fields= skip-chars= check-chars=',
  od: 'abcdfhilosxv output-duplicates traditional width? address-radix= endian= skip-bytes= read-bytes= format= strings?',
  xxd: 'abCeEipru -ps -plain -postscript -revert -autoskip -bits -include -uppercase',
  hexdump: 'bCcdovx one-byte-octal canonical one-byte-char two-bytes-decimal two-bytes-octal two-bytes-hex no-squeezing length= skip=',
  base64: 'dD decode ignore-garbage wrap=',
  md5sum: HASHES,
  sha1sum: HASHES,
  sha256sum: HASHES,
  sha512sum: HASHES,
  cksum: 'z tag untagged zero raw base64 algorithm=',
  zcat: `fqv ${GZIP}`,
  jq: 'aCcehjMnRrSs ascii-output color-output compact-output exit-status join-output monochrome-output null-input raw-input raw-output raw-output0 sort-keys slurp tab unbuffered stream seq args jsonargs',
  grep: `abcEFGHhIiLlnoPqRrsTUvwxyZz0123456789 ${CONTEXT} color? colour? files-with-matches files-without-match only-matching quiet silent no-messages with-filename no-filename line-number byte-offset initial-tab null text null-data line-buffered recursive dereference-recursive binary binary-files= devices= group-separator= no-group-separator`,
  rg: `.0abcFHhIilNnoPpqSsUuvwxz ${CONTEXT} hidden no-hidden no-ignore no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-parent no-ignore-vcs files files-with-matches files-without-match count-matches line-number no-line-number heading no-heading smart-case case-sensitive only-matching quiet no-messages multiline multiline-dotall pcre2 no-pcre2 text binary unrestricted vimgrep column no-column trim no-trim json stats with-filename no-filename null null-data crlf no-config passthru one-file-system pretty byte-offset type-list line-buffered block-buffered search-zip max-filesize= colors= type-add= type-clear= engine= path-separator= context-separator= field-match-separator= field-context-separator= dfa-size-limit= regex-size-limit= maxdepth=`,
  sed: 'nErsuz quiet silent regexp-extended separate unbuffered null-data posix sandbox debug line-length=',
  ls: '1AaBbCcdFfGgHhikLlmNnopQqRrSstUuvXxZ all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group human-readable si dereference-command-line dereference hide= hyperlink? indicator-style= inode kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size time-style= tabsize= width= zero context',
  stat: 'fLt dereference file-system terse cached=',
  file: 'bhikLNnprsz0 brief mime mime-type mime-encoding extension dereference no-dereference keep-going no-buffer no-pad raw special-files uncompress print0 exclude= separator= parameter=',
  du: '0abchHDkLlmPSsx all apparent-size bytes total human-readable si summarize separate-dirs dereference no-dereference dereference-args count-links one-file-system inodes null threshold= block-size= time? time-style=',
  df: 'ahHiklPT all human-readable si inodes local portability print-type total sync no-sync type= exclude-type= output? block-size=',
  tree: 'aACcDdFfghiJlNnpQqrSstUuvXx dirsfirst filesfirst noreport prune gitignore du si inodes device matchdirs metafirst ignore-case charset= filelimit= timefmt= sort=',
  readlink: 'efmnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero',
  realpath: 'eLmPqsz canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero relative-to= relative-base=',
  cd: 'eLP',
  pushd: '',
  cp: `abdfHiLlnPpRrsTuvx ${COPYING} archive attributes-only dereference link symbolic-link no-dereference parents preserve? no-preserve= recursive reflink? sparse= remove-destination copy-contents one-file-system`,
  mv: `bfinTuv ${COPYING} no-copy exchange`,
  ln: `bdFfiLnPrsTv ${COPYING} directory logical physical symbolic relative no-dereference`,
  install: `bCcDdpTv ${COPYING} compare directory preserve-timestamps owner= group=`,
  rm: 'dfIiRrv force interactive? one-file-system no-preserve-root preserve-root? recursive dir verbose',
  rmdir: 'pv parents ignore-fail-on-non-empty verbose',
  unlink: '',
  shred: 'fuvxz force remove? verbose exact zero iterations= size=',
  tee: 'aip append ignore-interrupts output-error?',
  touch: 'acfhm no-create no-dereference time=',
  truncate: 'co no-create io-blocks',
  mkdir: 'pvZ parents verbose context?',
  mkfifo: 'Z context? mode=',
  // `chmod -x file`: the mode itself looks like an option.
  chmod: `cfRv,grwxXstuo ${OWNERS}`,
  chown: `cfhHLPRv ${OWNERS}`,
  chgrp: `cfhHLPRv ${OWNERS}`,
  gzip: `123456789cdfklNnqrtv ${GZIP}`,
  gunzip: `cfklNnqrtv ${GZIP}`,
  patch:
    'bcEflNnRstu backup context dry-run remove-empty-files force ignore-whitespace normal forward reverse quiet silent batch unified verbose strip= fuzz= read-only= reject-format=',
  split:
    'dexu numeric-suffixes? hex-suffixes? additional-suffix= elide-empty-files unbuffered verbose bytes= lines= number= suffix-length= line-bytes= separator=',
  curl: '#012346fGgIikLNOqRSsv fail fail-with-body silent show-error location head include verbose globoff get no-buffer ipv4 ipv6 insecure compressed http1.0 http1.1 http2 http3 tlsv1.2 tlsv1.3 remote-name create-dirs progress-bar no-progress-meter no-keepalive retry-connrefused retry-all-errors remove-on-error path-as-is remote-time ssl-reqd disable retry-delay= retry-max-time= max-redirs= speed-limit= speed-time= limit-rate= range= referer= max-filesize= time-cond= tls-max= ciphers=',
  wget: '46cNqSv -nc -nd -nv -nH -np quiet verbose no-verbose continue server-response spider no-check-certificate show-progress no-clobber timestamping https-only no-directories no-host-directories no-parent no-config tries= timeout= wait= waitretry= progress= limit-rate= max-redirect= connect-timeout= read-timeout= dns-timeout=',
};
const SAME: Readonly<Record<string, string>> = { egrep: 'grep', fgrep: 'grep', rgrep: 'grep' };

const parsed = new Map<string, ProgramFlags>();

function parseFlags(text: string): ProgramFlags {
  const [first = '', ...names] = text.split(' ');
  const plain = names.filter((name) => !/[?=]$|^-/u.test(name));
  const ending = (mark: string): string[] => names.filter((name) => name.endsWith(mark)).map((name) => `--${name.slice(0, -1)}`);
  return {
    letters: new Set(first),
    words: new Set(names.filter((name) => name.startsWith('-'))),
    long: new Set(['--help', '--version', ...plain.map((name) => `--${name}`)]),
    optional: new Set(ending('?')),
    valued: ending('='),
  };
}

/** The harmless options of a program; undefined where its words are no options at all, as those of `echo`. */
export function programFlags(name: string): ProgramFlags | undefined {
  const text = FLAGS[SAME[name] ?? name];
  if (text === undefined || !Object.hasOwn(FLAGS, SAME[name] ?? name)) return undefined;
  let flags = parsed.get(name);
  if (flags === undefined) parsed.set(name, (flags = parseFlags(text)));
  return flags;
}
