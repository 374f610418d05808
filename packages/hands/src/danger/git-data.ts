/** The folder of a repository, or of one that git keeps in it for a worktree or a submodule. */
const REPOSITORY = /^(?:(?<folder>.*)\/)?\.git\/(?:worktrees\/(?<worktree>[^/]+)\/|modules\/(?<submodule>[^/]+(?:\/[^/]+)*)\/)?/u;
/**
 * Commits, branches, the index and what git notes about its last step. An allow-list: git runs or obeys other files of a repository,
 * and a folder that is not named here may contain such a file.
 */
const DATA =
  /(?:objects\/(?:(?:[\da-f]{2}|pack)(?:\/[^/]+)?|info\/(?:packs|commit-graph|commit-graphs(?:\/[^/]+)?))|refs(?:\/[^./][^/]*)*|logs(?:\/head|\/refs(?:\/[^./][^/]*)*)?|index|packed-refs|shallow|[a-z]*_?head|commit_editmsg|(?:merge|squash)_(?:msg|mode|rr)|auto_merge|info\/refs|gc\.log)$/u;
const GIT_DATA = new RegExp(REPOSITORY.source + DATA.source, 'u');
const SETTINGS = new RegExp(`${REPOSITORY.source}config(?:\\.worktree)?$`, 'u');
const CONFIGURATION = new RegExp(`${REPOSITORY.source}config$`, 'u');

/**
 * Whether a place holds only data of git, which no program executes or obeys.
 *
 * @param folded a path in the workspace, folded as by `foldName`
 */
export function isGitData(folded: string): boolean {
  // No name of git contains a line break. With one, a path could be split in very many ways before it is found not to match.
  return !folded.includes('\n') && GIT_DATA.test(folded);
}

/** Whether a place is the configuration of a repository, which other programs obey by its content. It is always judged by that too. */
export function isGitConfiguration(folded: string): boolean {
  return CONFIGURATION.test(folded);
}

/** Whose settings a file has. */
interface SettingsPlace {
  /** The folder of the working tree; undefined for the workspace itself. */
  readonly folder: string | undefined;
  /** Those of a worktree, or of a submodule, of that repository. */
  readonly worktree: string | undefined;
  readonly submodule: string | undefined;
}

/** Returns which repository obeys the settings in a file; undefined if it is no such file. */
export function settingsPlace(path: string): SettingsPlace | undefined {
  const groups = path.includes('\n') ? undefined : SETTINGS.exec(path)?.groups;
  return groups && { folder: groups['folder'], worktree: groups['worktree'], submodule: groups['submodule'] };
}
