/**
 * Whether a command can hold the steps of a rebase, as in `git rebase -x …`. Two searches, one after the other: a pattern for both
 * would take quadratic time on a command that repeats its beginning.
 */
export function mayAddSteps(command: string): boolean {
  const at = command.search(/\brebase\b/u);
  return at !== -1 && /\s-(?:-exec|\w*x)/u.test(command.slice(at));
}
