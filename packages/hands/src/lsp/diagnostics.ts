import { isSynapseError, SynapseError } from '@synapse/protocol';
import { detectEncoding } from '../text/detect-encoding.ts';
import { decode } from '../text/encoding.ts';
import { size } from '../text/amounts.ts';
import type { Search } from '../search/search.ts';
import type { FoundEntry } from '../search/file-search.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { contentVersion } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ChangeLog } from './change-log.ts';
import type { Finding } from './finding.ts';
import type { LanguageServers } from './language-servers.ts';
import { serverFor, type ServerRow } from './server-table.ts';
import { MAX_WATCHED, watchedGlobs } from './watched-files.ts';

/** The diagnostics of one file. */
export interface FileDiagnostics {
  /** Path as shown to the model. */
  readonly path: string;
  /** `unanswered` does not mean clean: the server did not finish in time. */
  readonly status: 'checked' | 'unanswered' | 'unavailable';
  readonly findings: readonly Finding[];
  /** The version of the checked content. */
  readonly version?: string;
  /** Which server answered, or why none did. */
  readonly note: string;
}

/** The diagnostics that one call can request. */
export interface Diagnostics {
  /** Checks a file of the workspace. Throws if the file cannot be read. */
  check(path: string): Promise<FileDiagnostics>;
  /** Whether a server for such files runs, so that a check starts none. */
  isWarm(path: string): boolean;
  /** The changes of files that the server for such files was told of; undefined if none is known. */
  changesFor(path: string): Pick<ChangeLog, 'count' | 'hasOthersSince'> | undefined;
  /** The existing files that this session changed. */
  changedFiles(): readonly string[];
}

/** The dependencies of the diagnostics for a call. */
export interface DiagnosticsSurroundings {
  readonly servers: LanguageServers;
  readonly workspace: Workspace;
  readonly search: Search;
  readonly changedFiles: () => readonly string[];
  readonly signal: AbortSignal;
}

/** Maximum size of a checked file. Larger files are data, and language servers handle them badly. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Creates the diagnostics for one call. */
export function diagnosticsFor({ servers, workspace, search, changedFiles, signal }: DiagnosticsSurroundings): Diagnostics {
  const look = async (row: ServerRow): Promise<readonly FoundEntry[]> => {
    const request = { globs: watchedGlobs(row), path: '.', hidden: false, ignore: true, limit: MAX_WATCHED };
    return (await search.files(request, workspace, signal)).files;
  };
  return {
    changedFiles,
    isWarm(path) {
      const known = serverFor(path, servers.rows);
      return known !== undefined && servers.isRunning(known.row);
    },
    changesFor(path) {
      const known = serverFor(path, servers.rows);
      return known === undefined ? undefined : servers.changesFor(known.row);
    },
    async check(given) {
      // Rejects stored output and readable folders outside the workspace: a server sees only the workspace.
      workspace.parse(given);
      using file = workspace.openFile(given);
      // The target of a link is checked, because the server finds the file there.
      const path = displayPath(file.location);
      const names = file.location.filter((name) => typeof name === 'string');
      if (names.length < file.location.length) return unavailable(path, 'its name is not UTF-8, which language servers cannot read');
      const known = serverFor(path, servers.rows);
      if (known === undefined) {
        const extensions = servers.rows.flatMap(({ languages }) => Object.keys(languages));
        return unavailable(path, `no language server is known for such files, only for .${extensions.join(', .')}`);
      }
      if (file.size > MAX_FILE_BYTES) {
        throw new SynapseError('too_large', `${path} has ${size(file.size)}; files up to ${size(MAX_FILE_BYTES)} are checked.`);
      }
      const bytes = await file.read(0, file.size);
      const encoding = await detectEncoding(bytes);
      if (encoding === 'binary') throw new SynapseError('binary_file', `${path} is no text.`);
      const text = decode(bytes, encoding);
      try {
        const { findings, origin } = await servers.check(known.row, { path: names.join('/'), language: known.language, text }, look, signal);
        if (findings === undefined) return { path, status: 'unanswered', findings: [], note: `${origin} gave no answer in its time` };
        return { path, status: 'checked', findings, note: origin, version: contentVersion(bytes) };
      } catch (error) {
        if (isSynapseError(error) && error.code === 'unavailable' && !signal.aborted)
          return unavailable(path, [error.message, error.hint ?? ''].join(' ').trim());
        throw error;
      }
    },
  };
}

const unavailable = (path: string, note: string): FileDiagnostics => ({ path, status: 'unavailable', findings: [], note });
