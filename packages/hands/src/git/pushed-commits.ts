import { isSynapseError } from '@synapse/protocol';
import type { PushedCommits } from '../meaning/push-sentences.ts';
import { commitIdArguments, countMissingArguments, listRefsArguments, type MissingCommits, missingSubjectsArguments } from './git-arguments.ts';
import type { Repository } from './repository.ts';
import { parseSingleRevision } from './revision.ts';

/** Maximum number of commits that are counted. */
const MAX_COMMITS = 1_000;
/** Number of subjects that are shown. */
const SUBJECTS = 3;
/** Maximum length of what git lists, in bytes. */
const MAX_LISTED = 1024 * 1024;
const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;

/** Returns what git lists; undefined if it is too long. The beginning of a list must not pass for all of it. */
async function listed(repository: Repository, given: readonly string[]): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const enough = new AbortController();
  await repository.run({
    arguments: given,
    onOutput(chunk) {
      size += chunk.length;
      if (size > MAX_LISTED) enough.abort();
      else chunks.push(Buffer.from(chunk));
    },
    enough: enough.signal,
  });
  return size > MAX_LISTED ? undefined : Buffer.concat(chunks).toString();
}

/** Returns the commits of references, by whole name; undefined if there are too many below these names. */
export async function refsIn(repository: Repository, names: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
  if (names.length === 0) return new Map();
  const lines = (await listed(repository, listRefsArguments(names)))?.split('\n');
  if (lines === undefined) return undefined;
  return new Map(
    lines.flatMap((line) => {
      const [hash = '', name = ''] = line.split(' ', 2);
      return HASH.test(hash) ? [[name, hash] as const] : [];
    }),
  );
}

/** Whether there is a reference in a folder, whose name ends in a slash. */
export const hasRefs = async (repository: Repository, folder: string): Promise<boolean> =>
  (await listed(repository, listRefsArguments([folder], 1)))?.includes(folder) === true;

/** Whether other commits stand for some: git shows these, and sends those. */
export const replacesCommits = async (repository: Repository): Promise<boolean> =>
  repository.hasGrafts || (await hasRefs(repository, 'refs/replace/'));

/** Returns the commit of an expression such as `HEAD~2`; undefined if it means none. */
export async function commitOf(repository: Repository, expression: string): Promise<string | undefined> {
  try {
    const id = (await listed(repository, commitIdArguments(parseSingleRevision(expression))))?.trim() ?? '';
    return HASH.test(id) ? id : undefined;
  } catch (error) {
    if (!isSynapseError(error) || error.code === 'timeout' || error.code === 'cancelled') throw error;
    // git would refuse it too.
    return undefined;
  }
}

/** Counts commits that are missing elsewhere, and reads the newest subjects; undefined if git does not tell. Subjects that are too long are left out. */
export async function missingCommits(repository: Repository, what: MissingCommits): Promise<PushedCommits | undefined> {
  const text = (await listed(repository, countMissingArguments(what, MAX_COMMITS + 1)))?.trim() ?? '';
  if (!/^\d+$/u.test(text)) return undefined;
  const all = Number(text);
  const output = all === 0 ? '' : await listed(repository, missingSubjectsArguments(what, SUBJECTS));
  const subjects = output?.split('\0').slice(0, -1) ?? [];
  return { count: Math.min(all, MAX_COMMITS), isMore: all > MAX_COMMITS, subjects: subjects.map((subject) => subject.trimEnd()) };
}
