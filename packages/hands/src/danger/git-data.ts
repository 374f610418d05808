/** The folder of a repository, or of one that git keeps in it for a worktree or a submodule. */
const REPOSITORY = /^(?:.*\/)?\.git\/(?:worktrees\/[^/]+\/|modules\/(?:[^/]+\/)+)?/u;
/**
 * Commits, branches, the index and what git notes about its last step. An allow-list: git runs or obeys other files of a repository,
 * and a folder that is not named here may contain such a file.
 */
const DATA =
  /(?:objects\/(?:(?:[\da-f]{2}|pack)(?:\/[^/]+)?|info\/(?:packs|commit-graph|commit-graphs(?:\/[^/]+)?))|refs(?:\/[^./][^/]*)*|logs(?:\/head|\/refs(?:\/[^./][^/]*)*)?|index|packed-refs|shallow|[a-z]*_?head|commit_editmsg|(?:merge|squash)_(?:msg|mode|rr)|auto_merge|info\/refs|gc\.log)$/u;
const GIT_DATA = new RegExp(REPOSITORY.source + DATA.source, 'u');
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
