import type { Search } from '../search/search.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Answered, LanguageServers, Look } from './language-servers.ts';
import type { ServerRow } from './server-table.ts';
import type { ServerSession } from './server-session.ts';
import { MAX_WATCHED, watchedGlobs } from './watched-files.ts';

/** The language servers that one call can ask. */
export interface CodeServers {
  readonly rows: readonly ServerRow[];
  /**
   * Asks a server about files. The work may run twice, if the server ends meanwhile.
   *
   * @param paths files that the work opens, with `/`
   * @throws SynapseError `unavailable` if there is no working server; `approval_required` if it would run without a sandbox
   */
  converse<T>(row: ServerRow, paths: readonly string[], work: (session: ServerSession) => Promise<T>, signal: AbortSignal): Promise<Answered<T>>;
}

/** The dependencies of {@link codeServersFor}. */
export interface CodeServersParts {
  readonly servers: LanguageServers;
  readonly workspace: Workspace;
  readonly search: Search;
}

/** The language servers for a call. */
export function codeServersFor({ servers, workspace, search }: CodeServersParts): CodeServers {
  return {
    rows: servers.rows,
    converse(row, paths, work, signal) {
      const look: Look = async (one) => {
        const request = { globs: watchedGlobs(one), path: '.', hidden: false, ignore: true, limit: MAX_WATCHED };
        return (await search.files(request, workspace, signal)).files;
      };
      return servers.converse(row, paths, work, look, signal);
    },
  };
}
