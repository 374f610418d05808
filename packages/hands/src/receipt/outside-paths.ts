/**
 * An absolute path, a path in a home folder, and one that leads up, as a shell ends words. It stands at the start of a word, after an option
 * of one letter (`-I/usr`), after a host or variable with a colon, and after `file://`; not in a URL of the web.
 */
const OUTSIDE =
  /(?:(?<![\w.:/@$}-])|(?<=(?<![\w-])-[A-Za-z])(?=[~/])|(?<=:)(?!\/\/)|(?<=\bfile:\/\/)(?=\/))(?:~[\w.-]*(?=\/|[\s'"`;&|<>()]|$)|\/|(?:\.\.(?=\/|[\s'"`;&|<>()]|$)))[^\s'"`;&|<>()]*/gu;
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
