import type { Processes } from '../process/processes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { Remembered, type Versions } from '../workspace-index/remembered.ts';
import { searchFiles, type FileFindings, type FilesRequest, type Listing } from './file-search.ts';
import { findRipgrep } from './find-ripgrep.ts';
import type { SearchPlace } from './search-place.ts';
import { searchText, type TextFindings, type TextRequest } from './text-search.ts';

/**
 * Searches a workspace with ripgrep. When the signal is aborted, a search ends and gives what it has:
 * it does not throw the signal's reason.
 */
export class Search {
  readonly #processes: Processes;
  readonly #listings: Remembered<Listing>;
  #program: string | undefined;

  /** @param versions tells when the workspace changed; by default nothing is remembered */
  constructor(processes: Processes, versions: Versions = { version: async () => undefined }) {
    this.#processes = processes;
    this.#listings = new Remembered(versions);
  }

  /** Finds lines. Throws `invalid_arguments` for a pattern or glob that cannot be read. */
  text(request: TextRequest, workspace: Workspace, signal: AbortSignal): Promise<TextFindings> {
    return searchText(request, workspace, this.#processes, this.#ripgrep(signal), signal);
  }

  /** Finds files. Throws `invalid_arguments` for a glob that cannot be read. */
  files(request: FilesRequest, workspace: Workspace, signal: AbortSignal): Promise<FileFindings> {
    return searchFiles(
      request,
      workspace,
      {
        processes: this.#processes,
        program: this.#ripgrep(signal),
        remembered: (question, list) => this.#listings.get(question, list, ({ stoppedBy }) => stoppedBy === undefined),
      },
      signal,
    );
  }

  #ripgrep(signal: AbortSignal): (place: SearchPlace) => Promise<string> {
    return async ({ directory }) => (this.#program ??= await findRipgrep(this.#processes, directory, signal));
  }
}
