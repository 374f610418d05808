import { displayText } from '../workspace/byte-name.ts';
import type { Exec } from './effects.ts';
import type { Location } from './guarded-location.ts';

/** A place that a call touches. */
export interface PathAccess {
  /** `possiblePath` is a word of an unknown program that may be a path. */
  readonly kind: 'read' | 'write' | 'delete' | 'possiblePath';
  /** The path as given. */
  readonly given: string;
  readonly location: Location;
  /** Whether everything below it is included. */
  readonly tree: boolean;
  /** See `PathEffect`. */
  readonly linked?: boolean;
  /** Index of the command; undefined for file tools and shell redirections. */
  readonly exec: number | undefined;
  /** Whether a command or a shell redirection does it. */
  readonly byCommand?: boolean;
}

/** What a command does on other machines, where the settings of a repository tell. */
export interface Contact {
  /** Addresses without credentials: `github.com/a/b`. */
  readonly places: readonly string[];
  /** Whether there may be others, which are not known. */
  readonly more?: boolean;
  /** Sentences that are safe to print. */
  readonly sentences: readonly string[];
}

/** A connection to another machine. */
export interface NetAccess {
  readonly kind: 'net';
  readonly host: string | undefined;
  readonly exec: number | undefined;
  /** What is requested, where that is known before. What a command requests, only its proxy sees. */
  readonly request?: { readonly method: string; readonly path: string };
  /** See `HostEffect`. */
  readonly folders?: readonly string[];
  /** See `HostEffect`. */
  readonly overlaps?: boolean;
  /** Only described, never judged: the settings are those of the workspace. */
  readonly contact?: Contact;
}

/** One thing that must be allowed for a call to be allowed. */
export type Access =
  | PathAccess
  | { readonly kind: 'exec'; readonly exec: Exec }
  | NetAccess
  | { readonly kind: 'mcp'; readonly name: string }
  /** A command that is not fully understood. */
  | { readonly kind: 'unknown'; readonly command: string; readonly reasons: readonly string[]; readonly hidden?: readonly string[] }
  /** The call itself, regardless of its effects. */
  | { readonly kind: 'call' };

const VERBS: Record<PathAccess['kind'], string> = { read: 'reads', write: 'writes', delete: 'deletes', possiblePath: 'names' };
/** Maximum length of a command in the description of an access, in characters. The whole command is shown elsewhere. */
const SHOWN = 120;

function shorten(text: string): string {
  return displayText(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** Describes an access in one line that is safe to print. */
export function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'exec':
      return `runs ${shorten(access.exec.text)}`;
    case 'net':
      if (access.contact !== undefined) return access.contact.sentences.join('; ');
      return access.host === undefined ? 'talks to a machine that is not named' : `talks to ${shorten(access.host)}`;
    case 'mcp':
      return `uses ${shorten(access.name)}`;
    case 'unknown':
      return access.reasons.length === 0 ? `runs ${shorten(access.command)}` : `is not fully understood: ${shorten(access.reasons.join('; '))}`;
    case 'call':
      return 'the call itself';
    case 'read':
    case 'write':
    case 'delete':
    case 'possiblePath':
    default:
      return `${VERBS[access.kind]} ${shorten(access.given)}${access.tree ? ' and everything below' : ''}`;
  }
}
