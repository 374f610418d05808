import type { CodeServers } from '../lsp/code-servers.ts';
import type { Search } from '../search/search.ts';
import type { SymbolKind } from '../syntax/grammar.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What navigation needs of a call. */
export interface NavigationUse {
  readonly workspace: Workspace;
  readonly search: Pick<Search, 'files' | 'text'>;
  readonly code: CodeServers;
  readonly signal: AbortSignal;
  /** Undefined if the caller has none. */
  readonly origin?: { readonly sessionId: string | undefined };
}

/** What is asked for. */
export interface Wanted {
  /** File or folder. */
  readonly path: string;
  readonly symbol?: string | undefined;
  readonly line?: number | undefined;
  readonly text?: string | undefined;
}

/** A place in the answer. */
export interface FoundPlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly end_line?: number;
  /** The line. */
  readonly text?: string;
  /** The declaration that it is, or that it is in. */
  readonly symbol?: string;
  readonly kind?: SymbolKind;
}

/** The answer to a question. */
export interface Found {
  /** Who says so: a language server, or the syntax alone. */
  readonly kind: 'server' | 'syntax';
  readonly places: readonly FoundPlace[];
  /** Number of places that were found, shown or not. */
  readonly total: number;
  readonly notes: readonly string[];
  /** What there is to say about the symbol, such as its type. */
  readonly about?: string;
}
