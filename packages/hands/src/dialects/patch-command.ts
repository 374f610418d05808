/** `apply_patch` with the patch as a here-document, perhaps in another folder. No shell has that command. */
const HERE_DOCUMENT = /^\s*(?:cd\s+(['"]?)([\w./-]+)\1\s*&&\s*)?apply_patch\s*<<-?\s*(['"]?)(\w+)\3[ \t]*\n([^]*)\n\4\s*$/u;
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:bash|zsh|sh)$/u;
const FILE = /^(\*\*\* (?:Add File|Update File|Delete File|Move to): )(?!\/)(?=\S)/gmu;

function below(folder: string | undefined, inner: string | undefined): string {
  if (inner?.startsWith('/') === true) return inner;
  return [folder, inner].filter((part) => part !== undefined && part !== '' && part !== '.').join('/');
}

function placed(patch: string, folder: string): string {
  return folder === '' ? patch : patch.replaceAll(FILE, (_, header: string) => `${header}${folder.replace(/\/$/u, '')}/`);
}

/**
 * The patch in a command line that would hand it to `apply_patch`: models that were trained for Codex write such
 * commands, and it takes them out of the shell as well. Undefined for any other command.
 *
 * @param folder where the command is to run, from which its paths count
 */
export function patchInCommand(command: string, folder?: string): string | undefined {
  const [, , inner, , , patch] = HERE_DOCUMENT.exec(command) ?? [];
  return patch === undefined ? undefined : placed(patch, below(folder, inner));
}

/** The same for a list of words: `apply_patch` itself, or a shell that runs such a line. */
export function patchInWords(words: readonly string[], folder?: string): string | undefined {
  const [program = '', first = '', second] = words;
  if (program === 'apply_patch' && words.length === 2) return placed(first, below(folder, undefined));
  return SHELL.test(program) && /^-l?c$/u.test(first) && second !== undefined && words.length === 3 ? patchInCommand(second, folder) : undefined;
}
