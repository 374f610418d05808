/** A commit that says so mends what it calls broken. */
const MENDS = String.raw`(?!.*\b(?:fix|repair|resolv|correct|replac|remov|delet|drop|updat|clean)(?:e[ds]?|ing|s|es|ed)?\b)`;
/** What names the build as a whole, and not a part of it such as its badge or its script. */
const BUILD = String.raw`\b(?:ci|pipelines?|workflows?|builds?)\b(?=[.!]?\s*$|\s*\(#|\s+(?:on|for|with|in|under|after|of|again|fail|error|break))`;

/** What the subject of a commit says about the state it left. */
const HINTS = [
  { hint: 'work-in-progress', pattern: /\bwip\b|\bwork in progress\b|^(?:fixup|squash|amend)!|\bcheckpoint\b|\bunfinished\b/iu },
  { hint: 'revert', pattern: /^revert\b/iu },
  {
    hint: 'failing-ci',
    pattern: new RegExp(String.raw`\b(?:fix|repair|unbreak|debug|retry)\w*\b[^\n]{0,60}${BUILD}|^(?:ci|build): [^\n]{0,60}\bfix`, 'iu'),
  },
  {
    hint: 'broken',
    pattern: new RegExp(
      String.raw`^${MENDS}.*\b(?:broken|failing|does(?:n['’]?t| not) (?:work|compile|build))\b|\btemporarily\b|\btemporary (?:fix|hack|measure|solution|workaround)\b`,
      'iu',
    ),
  },
] as const;

/** What says nothing of the state: that CI is not to run, and the part of the project that a conventional subject names. */
function withoutMarks(line: string): string {
  return line.replace(/\[(?:skip ci|ci skip|no ci)\]/giu, '').replace(/^(\w+)(?:\([^)]{0,40}\))?!?:\s*/u, '$1: ');
}

/** What a commit may hint at. */
export type CommitHint = (typeof HINTS)[number]['hint'];

/** The first line of a message, where the hint is. */
export function subject(message: string): string {
  return (
    message
      .trimStart()
      .split(/[\r\n]/u, 1)[0]
      ?.slice(0, 300) ?? ''
  );
}

/** What a commit's message hints at, if anything. */
export function commitHint(message: string): CommitHint | undefined {
  const line = withoutMarks(subject(message));
  return HINTS.find(({ pattern }) => pattern.test(line))?.hint;
}

/** Whether a commit only joins others, which tell more themselves. */
export function isMerge(message: string): boolean {
  return /^Merge (?:branch|branches|pull request|remote-tracking branch|commit|tag|tags)\b/u.test(subject(message));
}

/** Whether a program made a commit, such as one that updates dependencies: nobody works where it does. */
export function isByBot(author: string): boolean {
  return /\[bot\]$|^(?:dependabot|renovate|greenkeeper|github-actions|pre-commit-ci|snyk-bot)\b/iu.test(author.trim());
}

/** Whether a commit marks a release. */
export function isRelease(message: string): boolean {
  return /^(?:(?:chore|build)\(release\)|release\b|v?\d+\.\d+\.\d+\b|bump version\b|version bump\b)/iu.test(subject(message));
}
