/**
 * An absolute path, a path in a home folder, and one that leads up, as a shell ends words. It stands at the start of a word, after an option
 * of one letter (`-I/usr`), after a host or variable with a colon, after `file://`, and after an `@` that begins a word; not in a URL of the web.
 */
const BEGINNING = String.raw`(?:(?<![\w.:/@$}-])|(?<=(?<![\w-])-[A-Za-z])(?=[~/])|(?<=:)(?!\/\/)|(?<=\bfile:\/\/)(?=\/)|(?<=(?:^|[\s='"])@)(?=[~/.]))`;
const START = String.raw`(?:~[\w.-]*(?=\/|[\s'"${'`'};&|<>()]|$)|\/|(?:\.\.(?=\/|[\s'"${'`'};&|<>()]|$)))`;
/** Up to the end of the word: of a quoted one, the closing quote. */
const WORDS = [String.raw`(?<=")${START}[^"]*`, String.raw`(?<=')${START}[^']*`, String.raw`${START}(?:\\.|[^\s'"${'`'};&|<>()\\])*`];
const OUTSIDE = new RegExp(`${BEGINNING}(?:${WORDS.join('|')})`, 'gsu');
/** What every machine has. */
const COMMON = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|u?random)$/u;
/** Stands for a path outside the workspace. */
export const OUTSIDE_PATH = '[path outside]';

/** Replaces paths outside a workspace in a command: a receipt is shown to others. Paths into the workspace become relative. */
export function withoutOutsidePaths(text: string, root: string): string {
  return text.replace(OUTSIDE, (path) => {
    if (path === '/' || COMMON.test(path)) return path;
    if (path === root) return '.';
    if (!path.startsWith(`${root}/`)) return OUTSIDE_PATH;
    // More words follow in quotes.
    const end = path.search(/\s|$/u);
    return `./${path.slice(root.length + 1, end)}${withoutOutsidePaths(path.slice(end), root)}`;
  });
}
