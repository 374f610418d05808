/** A reason for another answer that is proven by taking a class of text out of both. */
export type ProvenReason = 'time' | 'random' | 'disk' | 'network' | 'timing';

/** A class of text that differs in each run. */
export interface Normalizer {
  readonly reason: ProvenReason;
  /** What the text is. */
  readonly what: string;
  readonly pattern: RegExp;
  /** What stands for it: the reason by default, nothing for a text that only some runs have. */
  readonly instead?: string;
  /** Only if the arguments of the call name one of these. */
  readonly of?: RegExp;
  /** Only if nothing else wrote to the output, such as a test runner. */
  readonly alone?: true;
}

const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const DAY = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const NUMBER = String.raw`\d{1,9}(?:\.\d{1,9})?`;
const UNIT = '(?:ns|µs|μs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)';
/** Before a line about one test. */
const TEST = String.raw` {0,12}(?:[✓✔√✗✕×✘]|PASS|FAIL) `;
/** Permissions, in the output of `ls -l`. */
const PERMISSIONS = '[rwxsStT-]{9}[.+@]? {1,8}';

const CLOCK = /\bdate\b|\buptime\b|Date\.now|new Date|performance\.now|strftime/u;
const CHANCE = /\$RANDOM|\$\$|\brandom\b|\brandomUUID\b|\buuidgen\b|\bmktemp\b|\bshuf\b|\brand\b|\/dev\/u?random|\bps\b/iu;
const GIT = /\bgit\b/u;
const DISK = /\b(?:du|df|stat)\b/u;
const NETWORK =
  /\b(?:curl|wget|ssh|scp|rsync|ping|dig|nslookup|gh)\b|\bgit\s[^;&|]{0,80}\b(?:fetch|pull|push|clone|ls-remote)\b|\b(?:npm|pnpm|yarn|pip3?|uv|cargo|go|gem|bundle|composer|apt|apt-get|apk|brew)\s[^;&|]{0,80}\b(?:ci|i|install|add|update|upgrade|view|audit|outdated|get|download|fetch|publish)\b|https?:\/\//u;

/** The order counts: a line that only some runs have goes before what is in it, and a date before the time in it. */
export const NORMALIZERS: readonly Normalizer[] = [
  { reason: 'disk', what: 'the blocks of a folder', pattern: /^total \d{1,15}(?:\.\d{1,3})?[KMGT]?$/gmu },
  {
    reason: 'disk',
    what: 'the size of a folder',
    pattern: new RegExp(String.raw`^(d${PERMISSIONS}\d{1,9} {1,8}[^\s]{1,64} {1,8}[^\s]{1,64} {1,16})\d{1,15}(?:\.\d)?[KMGT]?`, 'gmu'),
    instead: '$1<disk>',
  },
  { reason: 'disk', what: 'a number of links', pattern: new RegExp(String.raw`^([-dlcbps]${PERMISSIONS})\d{1,9}(?= )`, 'gmu'), instead: '$1<disk>' },
  { reason: 'disk', what: 'a size', pattern: /\d{1,15}(?:\.\d{1,3})?[KMGTB%]{0,2}(?![\w.])/gu, of: DISK, alone: true },

  { reason: 'time', what: 'a slow test that passed', pattern: /^ {2,12}[✓✔√] .{1,400} \d{3,9}ms(?:\n|$)/gmu, instead: '' },
  {
    reason: 'time',
    what: 'the duration of a slow test',
    pattern: new RegExp(String.raw`^(${TEST}.{1,400}?) \(?${NUMBER} ?m?s\)?$`, 'gmu'),
    instead: '$1',
  },
  { reason: 'time', what: 'the parts of a duration', pattern: /^( {0,8}Duration {1,4}\S{1,20}) {1,4}\(.{1,300}\)$/gmu, instead: '$1' },
  { reason: 'time', what: 'an estimate', pattern: /^(Time: .{1,40}), estimated \d{1,9}(?:\.\d{1,3})? ?s$/gmu, instead: '$1' },
  { reason: 'time', what: 'signs around a duration', pattern: /^=+ (.{1,200} in \d.{0,40}) =+$/gmu, instead: '$1' },
  { reason: 'time', what: 'a duration in hours', pattern: /( in \d{1,9}\.\d{1,3}s) \(\d{1,3}:\d{2}:\d{2}\)/gu, instead: '$1' },
  { reason: 'time', what: 'a rate', pattern: new RegExp(String.raw`\b${NUMBER} \w{1,24}\/s\b`, 'gu') },
  {
    reason: 'time',
    what: 'a field',
    pattern: /\b(duration_ms|(?:duration|elapsed|time|startTime|endTime|timestamp)["']?[:=]) ?["']?\d{1,16}(?:\.\d{1,9})?/gu,
  },

  { reason: 'random', what: 'a temporary file', pattern: /(?:\/var)?\/tmp\/[\w.-]{1,200}|\/var\/folders\/[\w.+/-]{1,200}|\btmp\.\w{6,16}\b/gu },
  { reason: 'random', what: 'a UUID', pattern: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu },
  { reason: 'random', what: 'an address in memory', pattern: /\b0x[\da-f]{6,16}\b/giu },
  // Some have no letter, or no digit: where git puts them, they are commits all the same.
  { reason: 'random', what: 'a commit before its date', pattern: /^[\da-f]{7,64}(?= \d{4}-\d{2}-\d{2} )/gmu },
  {
    reason: 'random',
    what: 'a commit after its word',
    pattern: /(?<=^commit |^Merge: (?:[\da-f]{7,64} )?|^(?:\* \()?HEAD (?:detached|is now) at )[\da-f]{7,64}(?=[ )]|$)/gmu,
  },
  {
    reason: 'random',
    what: 'a commit of git',
    pattern: /(?:^|(?<=^\[[^\]\s]{1,200} ))[\da-f]{7,64}(?=[ \]]|$)|(?<=\(was )[\da-f]{7,64}(?=\))/gmu,
    of: GIT,
  },
  { reason: 'random', what: 'a range of commits', pattern: /(?<=^ {3}|^Updating )[\da-f]{7,64}\.\.[\da-f]{7,64}(?= |$)/gmu, of: GIT },
  {
    reason: 'random',
    what: 'a commit, or an id',
    // A number or a word is none of these. A checksum follows from a content, and is not random.
    pattern: /(?!^[\da-f]{32,128} [ *]\S)(?<!\b(?:sha1|sha256|sha512|md5)[:= -]{1,3})\b(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[\da-f]{7,64}\b/gimu,
  },
  { reason: 'random', what: 'a port', pattern: /(?<=(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|\[::\]):|\bport[ :=]{1,3})\d{2,5}\b/giu },
  { reason: 'random', what: 'a process', pattern: /\b(?:pid|process)[ :=]{1,3}\d{1,10}\b|\(node:\d{1,10}\)|^\[\d{1,3}\] \d{1,10}$/gimu },
  { reason: 'random', what: 'a seed', pattern: /(?<=\bseed[ :=]{1,3})\d{1,20}\b/giu },
  {
    reason: 'random',
    what: 'a random word',
    pattern: /^(?=.{0,128}\d|.{0,128}[a-z][A-Z]|.{0,128}[A-Z][a-z])[\w+/=.-]{4,128}$/gmu,
    of: CHANCE,
    alone: true,
  },
  { reason: 'random', what: 'a random number', pattern: /\d{1,20}(?:\.\d{1,20})?/gu, of: CHANCE, alone: true },

  {
    reason: 'time',
    what: 'a date',
    pattern: /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?/gu,
  },
  { reason: 'time', what: 'a time of day', pattern: /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M\b)?(?: UTC\b)?/gu },
  {
    reason: 'time',
    what: 'a day, a month, a year',
    pattern: new RegExp(String.raw`\b(?:${DAY})[a-z]{0,6}\b|\b(?:${MONTH})[a-z]{0,6}\.? {1,3}\d{1,2}\b|\b20\d{2}\b`, 'gu'),
  },
  { reason: 'time', what: 'how long ago', pattern: /\b\d{1,9} (?:second|minute|hour|day|week|month|year)s?(?:, \d{1,2} months?)? ago\b/gu },
  { reason: 'time', what: 'minutes and seconds', pattern: /\b\d{1,9}m ?\d{1,2}(?:\.\d{1,9})?s\b/gu },
  { reason: 'time', what: 'a duration', pattern: new RegExp(String.raw`\b${NUMBER} ?${UNIT}\b`, 'gu') },
  { reason: 'time', what: 'seconds to nanoseconds since 1970', pattern: /\b1\d{9}(?:\d{3}){0,3}\b/gu },
  { reason: 'time', what: 'a number of the clock', pattern: /\b\d{1,20}(?:\.\d{1,9})?\b/gu, of: CLOCK, alone: true },

  { reason: 'timing', what: 'a result that was still known', pattern: /^(ok {1,4}.{1,400}?)\t(?:\(cached\)|\d{1,9}\.\d{1,3}s)$/gmu, instead: '$1' },

  {
    reason: 'network',
    what: 'a failure of the network',
    pattern:
      /^.{0,400}(?:\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b|[Cc]ould not resolve|name resolution|[Nn]etwork is unreachable|[Cc]onnection (?:refused|reset|timed out)).{0,400}(?:\n|$)/gmu,
    instead: '',
  },
  {
    reason: 'network',
    what: 'how much came over the network',
    pattern: /\b\d{1,12}(?:\.\d{1,3})? ?[kKMG]?i?B(?:\/s|ps)?\b|\b(?:added|removed|changed|audited) \d{1,6}(?= packages?\b)/gu,
    of: NETWORK,
  },
  { reason: 'network', what: 'a version of a registry', pattern: /^v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,40})?$/gmu, of: NETWORK },
];

/** What only prints: where nothing else runs, another number in the output is no other result. */
const PRINTS =
  /^\s*(?:echo|printf|date|uptime|true|false|sleep|cd|export|uuidgen|mktemp|shuf|ps|du|df|stat|openssl rand|head -c|tail -c|tr|base64|od|xxd|node -[ep]|python3? -c)(?=\s|$)/u;
const COMMAND = /"(?:command|cmd)": ?"(?<line>(?:[^"\\]|\\.){0,2000})"/u;

/** Whether a command line runs only programs that print. */
function onlyPrints(input: string): boolean {
  const line = COMMAND.exec(input)?.groups?.['line'];
  if (line === undefined || /`|\$\((?!date\b|uuidgen\b|mktemp\b)/u.test(line)) return false;
  return line.split(/\\n|[;&|]+/u).every((part) => part.trim() === '' || PRINTS.test(part));
}

/** The normalizers that hold for a call, by its arguments as JSON. */
export function normalizersOf(input: string): readonly Normalizer[] {
  const isAlone = onlyPrints(input);
  return NORMALIZERS.filter(({ of, alone }) => (of === undefined || of.test(input)) && (alone !== true || isAlone));
}

/** Why a call that only prints the clock, or something random, left another content. */
export function sourceOf(input: string): ProvenReason | undefined {
  if (!onlyPrints(input)) return undefined;
  return CLOCK.test(input) ? 'time' : CHANCE.test(input) ? 'random' : undefined;
}
