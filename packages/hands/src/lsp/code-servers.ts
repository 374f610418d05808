import type { CheckedText } from './checked-text.ts';
import type { ServerRow } from './server-table.ts';
import type { Trouble } from './trouble.ts';

/** A place in a file, as servers count: from 0, in UTF-16 units. */
export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

/** The requests of one turn. */
export interface CodeSession {
  /** Whether the server says that it can answer such requests, such as `renameProvider`. */
  offers(provider: string): boolean;
  /** What the server says about what it can do, such as of `semanticTokensProvider`; undefined for nothing. */
  capability(provider: string): unknown;
  /** What keeps the server from loading projects; what it answers may be missing something then. */
  readonly trouble: Trouble | undefined;
  /** Opens a file until the end of the turn, or replaces its text. */
  open(file: CheckedText): void;
  /** The version of an open file, which grows with each text; undefined for another file. */
  versionOf(path: string): number | undefined;
  /** Asks about a file. */
  about(method: string, path: string): Promise<unknown>;
  /** Asks about a place. */
  at(method: string, path: string, position: ServerPosition, more?: object): Promise<unknown>;
  request(method: string, params: object): Promise<unknown>;
  /** Waits until the server reports no work, such as loading projects. Returns false if that takes longer. */
  settle(milliseconds: number): Promise<boolean>;
}

/** What a server answered. */
export interface Answered<T> {
  readonly answer: T;
  /** Describes the server. */
  readonly origin: string;
}

/** The language servers that one call can ask. */
export interface CodeServers {
  readonly rows: readonly ServerRow[];
  /**
   * Asks a server about files. The work may run twice, if the server ends meanwhile.
   *
   * @param paths files that the work opens, with `/`
   * @throws SynapseError `unavailable` if there is no working server; `approval_required` if it would run without a sandbox
   */
  converse<T>(row: ServerRow, paths: readonly string[], work: (session: CodeSession) => Promise<T>, signal: AbortSignal): Promise<Answered<T>>;
}
