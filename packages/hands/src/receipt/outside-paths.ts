/** An absolute path, a path in a home folder, and one that leads up, as a shell ends words. */
const OUTSIDE = /(?<![\w.:/@$}-])(?:~[\w.-]*(?=\/|[\s'"`;&|<>()]|$)|\/|(?:\.\.(?=\/|[\s'"`;&|<>()]|$)))[^\s'"`;&|<>()]*/gu;
/** What every machine has. */
const COMMON = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|u?random)$/u;
/** Stands for a path outside the workspace. */
export const OUTSIDE_PATH = '[path outside]';

/** Replaces paths outside a workspace in a command: a receipt is shown to others. Paths into the workspace become relative. */
export function withoutOutsidePaths(text: string, root: string): string {
  return text.replace(OUTSIDE, (path) => {
    if (path === '/' || COMMON.test(path)) return path;
    if (path === root) return '.';
    return path.startsWith(`${root}/`) ? `./${path.slice(root.length + 1)}` : OUTSIDE_PATH;
  });
}
