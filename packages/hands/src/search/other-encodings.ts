import { isSynapseError } from '@synapse/protocol';
import type { Workspace } from '../workspace/workspace.ts';
import type { Search } from './search.ts';
import type { TextFindings, TextRequest } from './text-search.ts';

/**
 * A line that is not UTF-8: bytes that it never has, a character that ends early, or one that begins in its middle. A longer one that
 * ends early is not needed: text of old encodings has the short ones.
 */
const NO_UTF8 = String.raw`(?-u:[\xC0\xC1\xF5-\xFF]|[\xC2-\xF4](?:[\x01-\x09\x0B-\x7F\xC0-\xFF]|$)|(?:^|[\x01-\x09\x0B-\x7F])[\x80-\xBF])`;

/** Maximum number of such files to find: the answer names a few. */
const MAX_FOUND = 50;
/** Milliseconds for the look, which reads every file that the search would: enough for some ten thousand files, also on a slow machine. */
const LOOK_MS = 2_000;

/** Files in old encodings, in which text beyond ASCII has other bytes than in the pattern. */
export interface OtherEncodings {
  readonly files: readonly string[];
  /** Whether there may be more of them. */
  readonly more: boolean;
}

/**
 * Finds the files that a search went through and could not find its pattern in, because they are in an old encoding, such as Latin-1.
 * Undefined if there are none, if the pattern is ASCII, which is the same in them, or if something was found: in a language beyond ASCII, each
 * search would read all files twice.
 */
export async function otherEncodings(
  request: TextRequest,
  { matches, stoppedBy }: TextFindings,
  { search, workspace, signal }: { readonly search: Pick<Search, 'text'>; readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<OtherEncodings | undefined> {
  if (matches.length > 0 || stoppedBy !== undefined || !/\P{ASCII}/u.test(request.pattern)) return undefined;
  const look = { ...request, pattern: NO_UTF8, literal: false, case: 'sensitive', context: 0, perFile: 1, limit: MAX_FOUND } as const;
  try {
    const found = await search.text(look, workspace, AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]));
    const files = [...new Set(found.matches.map(({ path }) => path))];
    const more = found.stoppedBy !== undefined;
    return files.length === 0 && !more ? undefined : { files, more };
  } catch (error) {
    if (signal.aborted || !isSynapseError(error)) throw error;
    return undefined;
  }
}
