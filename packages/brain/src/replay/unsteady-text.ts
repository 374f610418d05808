/** Why the answer of a call that ran again may differ. */
export type UnsteadyReason = 'time' | 'random' | 'disk' | 'timing' | 'network';

const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const DAY = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';

/** Texts that differ in each run, by the reason. The order counts: a time in a date is part of the date. */
const UNSTEADY: ReadonlyArray<{ readonly reason: 'time' | 'random' | 'disk'; readonly pattern: RegExp }> = [
  // What a folder takes on a disk, in the output of `ls`.
  { reason: 'disk', pattern: /^total \d{1,15}(?:\.\d{1,3})?[KMGT]?$/gmu },
  { reason: 'disk', pattern: /(?<=^d[rwxsStT-]{9}[.+@]? {1,8}\d{1,9} {1,8}[^\s]{1,64} {1,8}[^\s]{1,64} {1,16})\d{1,15}/gmu },
  { reason: 'random', pattern: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/giu },
  // Hashes of commits, ids, addresses in memory: a number or a word is none of these.
  { reason: 'random', pattern: /\b(?:0x)?(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[\da-f]{7,64}\b/giu },
  { reason: 'random', pattern: /\/tmp\/[\w.-]{1,200}/gu },
  { reason: 'random', pattern: /(?<=(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0):)\d{2,5}\b/gu },
  { reason: 'random', pattern: /\b(?:pid|process)[ :=]{1,3}\d{1,10}\b/giu },
  { reason: 'time', pattern: /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?/gu },
  { reason: 'time', pattern: /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M\b)?/giu },
  { reason: 'time', pattern: new RegExp(String.raw`\b(?:${DAY})[a-z]{0,6}\b|\b(?:${MONTH})[a-z]{0,6}\.? {1,3}\d{1,2}\b|\b20\d{2}\b`, 'gu') },
  { reason: 'time', pattern: /\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/gu },
  // Seconds to nanoseconds since 1970.
  { reason: 'time', pattern: /\b1\d{9}(?:\d{3}){0,3}\b/gu },
];

/** Returns a text without what differs in each run for the given reasons. */
export function steadyText(text: string, reasons: readonly UnsteadyReason[]): string {
  let steady = text;
  for (const { reason, pattern } of UNSTEADY) if (reasons.includes(reason)) steady = steady.replace(pattern, `<${reason}>`);
  // Columns move with the width of what is in them.
  return steady.replaceAll(/ {2,}/gu, ' ');
}

/** Words of a command whose output differs in each run. */
const SOURCES: ReadonlyArray<{ readonly reason: UnsteadyReason; readonly pattern: RegExp }> = [
  { reason: 'random', pattern: /\$RANDOM|\$\$|\brandom\b|\brandomUUID\b|\buuidgen\b|\bmktemp\b|\bshuf\b|\/dev\/u?random|\bps\b/iu },
  { reason: 'time', pattern: /\bdate\b|\btime\b|\buptime\b|Date\.now|new Date|performance\.now|strftime|\btouch\b/u },
  { reason: 'disk', pattern: /\b(?:du|df|stat)\b/u },
  {
    reason: 'network',
    pattern:
      /\b(?:curl|wget|ssh|scp|rsync|ping|dig|nslookup|gh)\b|\bgit\s[^;&|]{0,80}\b(?:fetch|pull|push|clone|ls-remote)\b|\b(?:npm|pnpm|yarn|pip3?|uv|cargo|go|gem|bundle|composer|apt|apt-get|apk|brew)\s[^;&|]{0,80}\b(?:ci|i|install|add|update|upgrade|view|audit|outdated|get|download|fetch|publish)\b|https?:\/\//u,
  },
];

/** What a network says when it fails. */
const NETWORK_FAILURE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b|could not resolve|name resolution|network is unreachable|connection (?:refused|reset|timed out)/iu;

/** The reasons that the text of a call gives for another answer: `date`, `$RANDOM`, `curl`. */
export function sourcesIn(input: string): UnsteadyReason[] {
  return SOURCES.filter(({ pattern }) => pattern.test(input)).map(({ reason }) => reason);
}

/** Whether an answer tells of a network that failed. */
export const tellsNetworkFailure = (text: string): boolean => NETWORK_FAILURE.test(text);
