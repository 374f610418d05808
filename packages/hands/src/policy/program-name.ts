/** Folders that only the system's administrator writes: a program there is what its name says. */
const SYSTEM_FOLDER = /^\/(?:usr\/)?s?bin\/([^/]+)$/u;

/**
 * The program that a command word starts. A bare name, or one in a system folder, is the program of that
 * name; any other path is only itself: `./git` is not git.
 */
export function programName(word: string): string {
  return SYSTEM_FOLDER.exec(word)?.[1] ?? word;
}

/** The name without folder, version and case, for what must not slip through by them: `/opt/Python3.11` is python. */
export function programFamily(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  const bare = base.replace(/\.exe$/u, '').replace(/[-.\d]+$/u, '');
  return bare === '' ? base : bare;
}
