import type { Name } from './byte-name.ts';
import type { WorkspacePath } from './workspace-path.ts';

interface ProtectedPlace {
  /** Names in a row, anywhere in the path; a folder covers everything below it. */
  readonly names: readonly string[];
  readonly reason: string;
}

const GIT = 'git runs hooks and programs that are named there';
const EDITOR = 'an editor runs tasks that are named there';
const AGENT = 'an agent reads its tools and permissions from there';
const SHELL = 'a shell runs it at its start';
const PACKAGE = 'a package manager runs what it names';

/**
 * Files that another program executes, or takes its orders from, the next time it starts. Writing one
 * is how a confused model, or a hostile text it read, turns a file into a command. Denied by name and
 * at every depth, also where the file does not exist yet (compare CVE-2026-25725).
 */
export const PROTECTED_PLACES: readonly ProtectedPlace[] = [
  { names: ['.git'], reason: GIT },
  { names: ['.githooks'], reason: GIT },
  { names: ['.husky'], reason: GIT },
  { names: ['.mcp.json'], reason: AGENT },
  { names: ['.claude'], reason: AGENT },
  { names: ['.codex'], reason: AGENT },
  { names: ['.cursor'], reason: AGENT },
  { names: ['.gemini'], reason: AGENT },
  { names: ['.opencode'], reason: AGENT },
  { names: ['opencode.json'], reason: AGENT },
  { names: ['opencode.jsonc'], reason: AGENT },
  { names: ['.synapse'], reason: AGENT },
  { names: ['.vscode'], reason: EDITOR },
  { names: ['.idea'], reason: EDITOR },
  { names: ['.devcontainer'], reason: EDITOR },
  { names: ['.devcontainer.json'], reason: EDITOR },
  { names: ['.zed'], reason: EDITOR },
  { names: ['.envrc'], reason: SHELL },
  { names: ['.bashrc'], reason: SHELL },
  { names: ['.bash_profile'], reason: SHELL },
  { names: ['.bash_login'], reason: SHELL },
  { names: ['.profile'], reason: SHELL },
  { names: ['.zshrc'], reason: SHELL },
  { names: ['.zshenv'], reason: SHELL },
  { names: ['.zprofile'], reason: SHELL },
  { names: ['.npmrc'], reason: PACKAGE },
  { names: ['.yarnrc'], reason: PACKAGE },
  { names: ['.yarnrc.yml'], reason: PACKAGE },
  { names: ['.pnpmfile.cjs'], reason: PACKAGE },
];

/** NTFS reads these short names as `.git`. */
const SHORT_NAMES: Readonly<Record<string, string>> = { 'git~1': '.git', 'gitmod~1': '.gitmodules' };

/** Folds a name the way the laxest file system does: case, trailing dots and spaces, streams, short names. */
export function foldName(name: Name): string {
  const folded = name
    .toString()
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '');
  return SHORT_NAMES[folded] ?? folded;
}

/** The protected place that a path names or lies in, if any. */
export function protectedPlace(path: WorkspacePath): ProtectedPlace | undefined {
  const folded = path.map(foldName);
  return PROTECTED_PLACES.find(({ names }) => folded.some((_, start) => names.every((name, index) => folded[start + index] === name)));
}

/** What git itself writes in its folder at a commit, and never executes or takes orders from. */
const GIT_DATA = new Set([
  'objects',
  'refs',
  'logs',
  'index',
  'HEAD',
  'ORIG_HEAD',
  'FETCH_HEAD',
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'COMMIT_EDITMSG',
  'packed-refs',
]);

/** Whether a place is history of the workspace's own repository: `git commit` changes it, as commands may. */
export function isGitData(path: WorkspacePath): boolean {
  const [folder, name = '', ...rest] = path;
  // `objects/info/alternates` leads git to other folders.
  if (folder !== '.git' || !GIT_DATA.has(name.toString()) || (name === 'objects' && rest[0] === 'info')) return false;
  return protectedPlace([name, ...rest]) === undefined;
}
