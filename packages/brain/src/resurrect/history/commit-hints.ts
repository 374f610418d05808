/** What the subject of a commit says about the state it left. */
const HINTS = [
  { hint: 'work-in-progress', pattern: /\bwip\b|\bwork in progress\b|^(?:fixup|squash|amend)!|\bcheckpoint\b|\bunfinished\b/iu },
  { hint: 'revert', pattern: /^revert\b/iu },
  {
    hint: 'failing-ci',
    pattern:
      /\b(?:fix|repair|unbreak|debug|retry)\w*\b[^\n]{0,60}\b(?:ci|pipeline|workflow|build)\b|^(?:ci|build)(?:\([^)]{0,40}\))?!?:[^\n]{0,60}\bfix/iu,
  },
  { hint: 'broken', pattern: /\bbroken\b|\bfailing\b|\bdoes(?:n['’]?t| not) (?:work|compile|build)\b|\btemporar(?:y|ily)\b/iu },
] as const;

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
  const line = subject(message);
  return HINTS.find(({ pattern }) => pattern.test(line))?.hint;
}

/** Whether a commit only joins others, which tell more themselves. */
export function isMerge(message: string): boolean {
  return /^Merge (?:branch|branches|pull request|remote-tracking branch|commit|tag|tags)\b/u.test(subject(message));
}

/** Whether a commit marks a release. */
export function isRelease(message: string): boolean {
  return /^(?:(?:chore|build)\(release\)|release\b|v?\d+\.\d+\.\d+\b|bump version\b|version bump\b)/iu.test(subject(message));
}
