import { isSynapseError, SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import type { ToolContext } from '../tool-context.ts';

type Powers = Pick<ToolContext, 'workspace' | 'search' | 'signal'>;

/** Files of one name that are looked for, and told. */
const MAX_SAME_NAME = 3;
/** Parts of a path that are tried from its end. */
const MAX_PARTS = 12;
const LIST = { depth: 1, limit: 2_000, hidden: true };

function exists({ workspace }: Powers, path: string): boolean {
  try {
    workspace.describe(path);
    return workspace.mayRead(path);
  } catch {
    // Not there, or not to be told of.
    return false;
  }
}

/** The same path as it is written elsewhere: with backslashes, with a line behind it, below another folder. */
function rewritten(path: string): string[] {
  const plain = path.replaceAll('\\', '/').replace(/:\d+(?::\d+)?$/u, '');
  const parts = plain.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return [plain, ...parts.slice(-MAX_PARTS).map((_, index, kept) => kept.slice(index).join('/'))].filter((candidate) => candidate !== path);
}

/** Names beside the one that is missing that differ in case, or by a typing mistake. */
function beside(powers: Powers, path: string): string[] {
  const slash = path.lastIndexOf('/');
  const [folder, name] = [slash === -1 ? '.' : path.slice(0, slash), path.slice(slash + 1)];
  try {
    const { entries } = powers.workspace.list(folder, LIST);
    const names = [...entries].map((entry) => entry.path.slice(entry.path.lastIndexOf('/') + 1));
    const same = names.filter((one) => one.toLowerCase() === name.toLowerCase());
    return (same.length > 0 ? same : nearest(name, names)).map((one) => (folder === '.' ? one : `${folder}/${one}`));
  } catch {
    return [];
  }
}

async function ofSameName({ workspace, search, signal }: Powers, path: string): Promise<string[]> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || /[*?[\]{}!]/u.test(name)) return [];
  try {
    const { files } = await search.files({ globs: [name], path: '.', limit: MAX_SAME_NAME, hidden: false, ignore: true }, workspace, signal);
    return files.map((file) => file.path);
  } catch {
    // Without a search program there is no such hint.
    return [];
  }
}

/** Names the files that a path was probably meant for, in the error that says that it is not there. */
export async function didYouMean(error: unknown, path: string, powers: Powers): Promise<unknown> {
  if (!isSynapseError(error) || error.code !== 'not_found') return error;
  const written = rewritten(path).find((candidate) => exists(powers, candidate));
  const near = written === undefined ? beside(powers, path) : [written];
  const readable = near.filter((candidate) => exists(powers, candidate));
  const found = readable.length > 0 ? readable : (await ofSameName(powers, path)).filter((candidate) => exists(powers, candidate));
  if (found.length === 0) return error;
  const { code, message, hint, details } = error;
  return new SynapseError(code, message, {
    hint: `Did you mean ${found.slice(0, MAX_SAME_NAME).join(' or ')}?${hint === undefined ? '' : ` ${hint}`}`,
    ...(details === undefined ? {} : { details }),
    cause: error,
  });
}
