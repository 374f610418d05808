import { hash } from 'node:crypto';
import type { RecordedCall, RecordedSession, SessionRecord } from '@synapse/brain';
import type { Hands } from '@synapse/hands';
import { type AuditedCall, defaultStateFolder, PastWorkspace } from '@synapse/hands/internal';
import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { callsSince } from './start-call.ts';

type Start = NonNullable<RecordedSession['start']>;

/** Maximum number of files whose version is kept, and of those that are compared. */
const MAX_FILES = 1_000;
/** Maximum number of lines of answers to look up, and of characters of one. */
const MAX_LINES = 20_000;
const MAX_PATH = 1_024;
/** Digits of a version, as `read_file` names it. */
const VERSION_DIGITS = 16;
/** Maximum number of files to name. */
const MAX_NAMED = 3;

/** The files that calls read or changed. Git's own differ on each machine. */
function filesOf(calls: readonly AuditedCall[]): string[] {
  const named = calls.flatMap(({ end }) => [...(end?.resolved ?? []), ...(end?.changes ?? []).flatMap(({ path, to }) => [path, to ?? path])]);
  const own = [...new Set(named)].filter((path) => !/(?:^|\/)\.git(?:\/|$)/u.test(path));
  return own.toSorted().slice(0, MAX_FILES);
}

function versionAt(past: PastWorkspace, path: string): string | null | undefined {
  try {
    return hash('sha256', past.read(path).bytes).slice(0, VERSION_DIGITS);
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    // A folder, or a file that is not kept, is not compared.
    return error.code === 'not_found' ? null : undefined;
  }
}

/** The lines of answers that may name a file. */
function linesIn(calls: readonly RecordedCall[]): string[] {
  const texts = calls.flatMap(({ output }) => (output?.type === 'text' ? [output.value] : []));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 0 && line.length <= MAX_PATH);
  return [...new Set(lines)].slice(0, MAX_LINES);
}

/** When the files were changed that answers name, one a line: a list of files has an order, which often is that of their times. */
function timesAt(past: PastWorkspace, calls: readonly RecordedCall[]): Record<string, string> {
  const times = linesIn(calls).flatMap((line) => {
    const found = modifiedAt(past, line);
    return found === undefined ? [] : [[found.path, String(found.modified)] as const];
  });
  return Object.fromEntries(times.slice(0, MAX_FILES));
}

function modifiedAt(past: PastWorkspace, line: string): { readonly path: string; readonly modified: bigint } | undefined {
  try {
    return past.timeOf(line);
  } catch (error) {
    // It is a line of another text.
    if (!isSynapseError(error)) throw error;
    return undefined;
  }
}

/** The commit in the last line of git's own log of what was checked out. */
function commitAt(past: PastWorkspace): string | undefined {
  try {
    const last = past.read('.git/logs/HEAD').bytes.toString('latin1').trimEnd().split('\n').at(-1);
    return /^[\da-f]{40,64} (?<commit>[\da-f]{40,64}) /u.exec(last ?? '')?.groups?.['commit'];
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return undefined;
  }
}

/**
 * The workspace as it was when a session began: the commit, and the versions of the files that its calls used. Undefined if the undo journal
 * does not reach back that far.
 *
 * @param own the calls of the session, as the audit log knows them
 * @param calls the same with their answers
 */
export function recordedStart(session: SessionRecord, own: readonly AuditedCall[], calls: readonly RecordedCall[]): Start | undefined {
  const { first } = callsSince(session);
  if (first === undefined) return undefined;
  try {
    using past = PastWorkspace.open(session.workspace, defaultStateFolder(), first, 'before');
    const modified = timesAt(past, calls);
    const paths = [...new Set([...filesOf(own), ...Object.keys(modified)])].slice(0, MAX_FILES);
    const versions = paths.flatMap((path) => {
      const version = versionAt(past, path);
      return version === undefined ? [] : [[path, version] as const];
    });
    const commit = commitAt(past);
    return {
      ...(commit === undefined ? {} : { commit }),
      files: Object.fromEntries(versions),
      ...(Object.keys(modified).length === 0 ? {} : { modified }),
    };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return undefined;
  }
}

const Log = z.object({ commits: z.array(z.object({ sha: z.string() })) });
const Read = z.object({ path: z.string(), version: z.string().nullable() });

/** How the workspace here differs from the start of a session from a file. */
export interface ComparedStart {
  /** Sentences. */
  readonly notes: readonly string[];
  /** When the files that are the same were changed there, in nanoseconds since 1970, by path. */
  readonly times: ReadonlyMap<string, bigint>;
}

/** What a file is here: its version, null if there is none; undefined if that is not known. */
async function versionHere(hands: Hands, path: string, signal: AbortSignal): Promise<string | null | undefined> {
  const read = await hands.call('read_file', { path, limit: 1 }, { signal });
  if (!read.ok) return read.error.code === 'not_found' ? null : undefined;
  const found = Read.safeParse(read.data).data;
  // For a file that is missing, one of a similar name may have been read.
  return found !== undefined && found.path !== path ? null : found?.version;
}

/** The commit that is checked out here; undefined if there is none. */
async function commitHere(hands: Hands, signal: AbortSignal): Promise<string | undefined> {
  const log = await hands.call('git_log', { limit: 1 }, { signal });
  return Log.safeParse(log.ok ? log.data : undefined).data?.commits[0]?.sha;
}

/** Compares the start of a session from a file with the workspace here. */
export async function compareStart(start: Start | undefined, hands: Hands, signal: AbortSignal): Promise<ComparedStart> {
  const times = new Map<string, bigint>();
  if (start === undefined)
    return { times, notes: ['The file does not say how the workspace was at the start: it begins with the workspace as it is.'] };
  const { commit, files } = start;
  const notes: string[] = [];
  if (commit !== undefined) {
    const here = await commitHere(hands, signal);
    if (here !== commit) notes.push(`The session began at the commit ${commit.slice(0, 12)}, and this folder is at ${here?.slice(0, 12) ?? 'none'}.`);
  }
  const other: string[] = [];
  for (const [path, version] of Object.entries(files).slice(0, MAX_FILES)) {
    const here = await versionHere(hands, path, signal);
    // A file may have the name of an inherited property, such as `constructor`.
    const time = start.modified !== undefined && Object.hasOwn(start.modified, path) ? start.modified[path] : undefined;
    if (here !== undefined && here !== version) other.push(path);
    else if (typeof here === 'string' && time !== undefined) times.set(path, BigInt(time));
  }
  if (other.length === 0) return { notes, times };
  const more = other.length > MAX_NAMED ? ` and ${other.length - MAX_NAMED} more` : '';
  return { times, notes: [...notes, `Not as at the start: ${other.slice(0, MAX_NAMED).join(', ')}${more}.`] };
}
