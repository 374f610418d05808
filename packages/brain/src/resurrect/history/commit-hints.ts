/** Excludes commits that fix what they mention as broken. */
const MENDS = String.raw`(?!.*\b(?:fix|repair|resolv|correct|replac|remov|delet|drop|updat|clean)(?:e[ds]?|ing|s|es|ed)?\b)`;
/** Matches the build as a whole, not a part of it such as its badge or script. */
const BUILD = String.raw`\b(?:ci|pipelines?|workflows?|builds?)\b(?=[.!]?\s*$|\s*\(#|\s+(?:on|for|with|in|under|after|of|again|fail|error|break))`;

/** Hints in commit subjects about the state of the code. */
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

/** Removes text that says nothing about the state: skip-CI markers and the scope of a conventional commit. */
function withoutMarks(line: string): string {
  return line.replace(/\[(?:skip ci|ci skip|no ci)\]/giu, '').replace(/^(\w+)(?:\([^)]{0,40}\))?!?:\s*/u, '$1: ');
}

/** A hint in a commit message. */
export type CommitHint = (typeof HINTS)[number]['hint'];

/** Returns the first line of a message, at most 300 characters. */
export function subject(message: string): string {
  return (
    message
      .trimStart()
      .split(/[\r\n]/u, 1)[0]
      ?.slice(0, 300) ?? ''
  );
}

/** Returns the hint in a commit message, if any. */
export function commitHint(message: string): CommitHint | undefined {
  const line = withoutMarks(subject(message));
  return HINTS.find(({ pattern }) => pattern.test(line))?.hint;
}

/** Whether a commit is a merge. The merged commits are more informative. */
export function isMerge(message: string): boolean {
  return /^Merge (?:branch|branches|pull request|remote-tracking branch|commit|tag|tags)\b/u.test(subject(message));
}

/** Whether a bot made a commit, such as a dependency update. It does not indicate recent work. */
export function isByBot(author: string): boolean {
  return /\[bot\]$|^(?:dependabot|renovate|greenkeeper|github-actions|pre-commit-ci|snyk-bot)\b/iu.test(author.trim());
}

/** Whether a commit marks a release. */
export function isRelease(message: string): boolean {
  return /^(?:(?:chore|build)\(release\)|release\b|v?\d+\.\d+\.\d+\b|bump version\b|version bump\b)/iu.test(subject(message));
}
