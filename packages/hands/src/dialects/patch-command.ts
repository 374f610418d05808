/** The program name that models use in a shell; not a tool name. */
const PATCH_PROGRAM = 'apply_patch';

/** `apply_patch` with the patch as a here-document, possibly in another folder. Shells do not have this command. */
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
 * Returns the patch in a command line that passes it to `apply_patch`. Models trained for Codex write such commands, and
 * Codex intercepts them too. Undefined for any other command.
 *
 * @param folder working directory of the command, the base of its paths
 */
export function patchInCommand(command: string, folder?: string): string | undefined {
  const [, , inner, , , patch] = HERE_DOCUMENT.exec(command) ?? [];
  return patch === undefined ? undefined : placed(patch, below(folder, inner));
}

/** Returns the patch in an argument list: `apply_patch` itself, or a shell that runs such a line. */
export function patchInWords(words: readonly string[], folder?: string): string | undefined {
  const [program = '', first = '', second] = words;
  if (program === PATCH_PROGRAM && words.length === 2) return placed(first, below(folder, undefined));
  return SHELL.test(program) && /^-l?c$/u.test(first) && second !== undefined && words.length === 3 ? patchInCommand(second, folder) : undefined;
}
