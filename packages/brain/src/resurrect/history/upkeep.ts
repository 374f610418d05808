import { isByBot, isMerge, isRelease, subject } from './commit-hints.ts';
import { holdsVersions } from './path-kinds.ts';

/** Kinds of commits that are not work on the project itself. */
export type Upkeep = 'merge' | 'bot' | 'update' | 'release';

const UPDATE =
  /\b(?:bump|update|upgrade|pin|unpin)(?:s|d|ed|ing)?\b|^(?:chore|build|fix|ci)\(deps[^)]*\)|\block ?file maintenance\b|\bdependenc(?:y|ies)\b/iu;
/** A subject that consists of a name and a version only, such as `ignore-0.4.33`. */
const VERSION_ONLY = /^(?:[\w@/.-]+[- ])?v?\d+\.\d+(?:\.\d+)?\S*$/u;

/** Returns the kind of a maintenance commit; undefined for work. */
export function upkeepOf({ message, author, files }: { message: string; author: string; files: readonly string[] }): Upkeep | undefined {
  if (isMerge(message)) return 'merge';
  if (isByBot(author)) return 'bot';
  if (files.length === 0 || !files.every(holdsVersions)) return undefined;
  const line = subject(message);
  if (isRelease(message) || VERSION_ONLY.test(line)) return 'release';
  return UPDATE.test(line) ? 'update' : undefined;
}
