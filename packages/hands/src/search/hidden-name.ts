/** Whether a path goes through a hidden name. A type that ripgrep was given brings such files back, so it is asked here. */
export function isHiddenBelow(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith('.'));
}
