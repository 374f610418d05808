import { displayText } from '../workspace/byte-name.ts';
import type { Exec } from './effects.ts';
import type { Location } from './location.ts';

/** A place that a call touches. */
export interface PathPart {
  /** `mention` is a word of an unknown program that may be a path. */
  readonly kind: 'read' | 'write' | 'delete' | 'mention';
  /** As given, for a person. */
  readonly given: string;
  readonly location: Location;
  /** Whether everything below is touched too. */
  readonly tree: boolean;
  /** Index of the command that does it; undefined for a file tool, and for the shell's own redirections. */
  readonly exec: number | undefined;
}

/** One thing that must be allowed for a call to be allowed. */
export type Part =
  | PathPart
  | { readonly kind: 'exec'; readonly exec: Exec }
  | { readonly kind: 'net'; readonly host: string | undefined; readonly exec: number | undefined }
  | { readonly kind: 'mcp'; readonly name: string }
  /** What could not be understood of a command. */
  | { readonly kind: 'unknown'; readonly command: string; readonly reasons: readonly string[] }
  /** The call as such, whatever it needs. */
  | { readonly kind: 'call' };

const VERBS: Record<PathPart['kind'], string> = { read: 'reads', write: 'writes', delete: 'deletes', mention: 'names' };
/** Longer commands are cut in explanations of one part; the whole command stands beside it. */
const SHOWN = 120;

function shorten(text: string): string {
  return displayText(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** A part in words, in one safe line. */
export function describePart(part: Part): string {
  switch (part.kind) {
    case 'exec':
      return `runs ${shorten(part.exec.text)}`;
    case 'net':
      return part.host === undefined ? 'talks to a machine that is not named' : `talks to ${shorten(part.host)}`;
    case 'mcp':
      return `uses ${shorten(part.name)}`;
    case 'unknown':
      return `is not fully understood: ${shorten(part.reasons.join('; '))}`;
    case 'call':
      return 'the call itself';
    case 'read':
    case 'write':
    case 'delete':
    case 'mention':
    default:
      return `${VERBS[part.kind]} ${shorten(part.given)}${part.tree ? ' and everything below' : ''}`;
  }
}
