import type { Search } from '../search/search.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CodeServers } from './code-servers.ts';
import type { LanguageServers, Look } from './language-servers.ts';
import { MAX_WATCHED, watchedGlobs } from './watched-files.ts';

/** The dependencies of {@link codeServersFor}. */
export interface CodeServersParts {
  readonly servers: LanguageServers;
  readonly workspace: Workspace;
  readonly search: Search;
}

/** Lists the files that a server watches. */
export function lookFor({ workspace, search }: Pick<CodeServersParts, 'workspace' | 'search'>, signal: AbortSignal): Look {
  return async (row) => {
    const request = { globs: watchedGlobs(row), path: '.', hidden: false, ignore: true, limit: MAX_WATCHED };
    return (await search.files(request, workspace, signal)).files;
  };
}

/** The language servers for a call. */
export function codeServersFor({ servers, workspace, search }: CodeServersParts): CodeServers {
  return {
    rows: servers.rows,
    converse(row, paths, work, signal) {
      return servers.converse(row, paths, work, lookFor({ workspace, search }, signal), signal);
    },
  };
}
