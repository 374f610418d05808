import { isSynapseError, SynapseError } from '@synapse/protocol';
import type { CheckedCall } from '../call/call.ts';
import { nearest } from '../text/nearest.ts';
import type { ToolContext } from '../tool/tool-context.ts';

type Powers = Pick<ToolContext, 'workspace' | 'search' | 'signal'>;

/** Maximum number of files with the same name to find and list. */
const MAX_SAME_NAME = 3;
/** Maximum length of a path in characters. Longer paths get no suggestions. */
const MAX_PATH = 1_000;
/** Maximum number of trailing path segments to try. */
const MAX_PARTS = 12;
const LIST = { depth: 1, limit: 2_000, hidden: true };

function exists({ workspace }: Powers, path: string): boolean {
  try {
    workspace.describe(path);
    return workspace.mayRead(path);
  } catch {
    // Missing, or not to be revealed.
    return false;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // A name with a percent sign.
    return path;
  }
}

/** Other spellings of a path: in quotes, with backslashes, with a line number, below another folder. */
function rewritten(path: string): string[] {
  const plain = decoded(path.trim().replace(/^["'`@]+|["'`]+$/gu, ''))
    .replaceAll('\\', '/')
    .replace(/(?::\d+(?:[:-]\d+)?|#L?\d.*|\(\d+,\d+\))$/u, '');
  const parts = plain.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return [plain, ...parts.slice(-MAX_PARTS).map((_, index, kept) => kept.slice(index).join('/'))].filter((candidate) => candidate !== path);
}

/** Names in the same folder that differ in case, or by a typo. */
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
    // This hint needs a search program.
    return [];
  }
}

/** The paths of a call that its error names. */
function pathsIn({ arguments: given, permissions }: CheckedCall, { message }: SynapseError): string[] {
  const places = permissions.filter(({ action }) => action === 'read' || action === 'write').map(({ resource }) => resource);
  const all = typeof given['cwd'] === 'string' ? [...places, given['cwd']] : places;
  return all.filter((value) => value.trim() !== '' && value.length <= MAX_PATH && isNamed(value, message));
}

/** Whether an error names a path, either in full or by its last segment. */
function isNamed(path: string, message: string): boolean {
  const last =
    path
      .replace(/[/\\]+$/u, '')
      .split(/[/\\]/u)
      .at(-1) ?? path;
  return message.includes(path) || (last !== '' && message.includes(last)) || path.startsWith('/');
}

/** A new file in an existing folder, if the model uses the absolute path of another machine. */
function inKnownFolder(powers: Powers, path: string): string | undefined {
  return rewritten(path).find((candidate) => {
    const slash = candidate.lastIndexOf('/');
    return slash > 0 && !candidate.startsWith('/') && exists(powers, candidate.slice(0, slash));
  });
}

async function meantFor(path: string, isOutside: boolean, powers: Powers): Promise<string[]> {
  const written = rewritten(path).find((candidate) => exists(powers, candidate));
  if (written !== undefined) return [written];
  const near = isOutside
    ? [inKnownFolder(powers, path)].filter((one) => one !== undefined)
    : beside(powers, path).filter((one) => exists(powers, one));
  if (near.length > 0) return near;
  // The folder that the model believes to be the root.
  if (isOutside) return /^\/[\w-]*\/?$/u.test(path) ? ['.'] : [];
  return (await ofSameName(powers, path)).filter((candidate) => exists(powers, candidate));
}

/** The correct use of a glob that was passed as a path. */
function globHint({ tool }: CheckedCall, glob: string): string {
  if (!Object.hasOwn(tool.input.shape, 'glob')) return `find_files takes globs such as ${glob}.`;
  const [folder = ''] = /^(?:[^*?/]+\/)*/u.exec(glob) ?? [];
  return `Give ${folder.slice(0, -1) || '.'} as path and ${glob.slice(folder.length)} as glob.`;
}

/** Adds suggestions to an error about a path. The search takes time, but runs only for failed calls. */
export async function didYouMean(error: unknown, call: CheckedCall, powersOf: (call: CheckedCall) => Powers): Promise<unknown> {
  if (!isSynapseError(error) || (error.code !== 'not_found' && error.code !== 'outside_workspace')) return error;
  const [path] = pathsIn(call, error);
  // No help for paths outside the workspace.
  if (path === undefined || error.hint?.includes('Did you mean') === true || /(?:^|\/)\.\.(?:\/|$)/u.test(path)) return error;
  const powers = powersOf(call);
  const found = (await meantFor(path, error.code === 'outside_workspace', powers)).filter((one) => one !== path);
  const { code, message, hint, details } = error;
  const told =
    found.length > 0
      ? `Did you mean ${found.slice(0, MAX_SAME_NAME).join(' or ')}?`
      : /[*?]/u.test(path)
        ? globHint(call, path.replace(/^\/+/u, ''))
        : undefined;
  if (told === undefined) return error;
  return new SynapseError(code, message, {
    hint: hint === undefined ? told : `${told} ${hint}`,
    ...(details === undefined ? {} : { details }),
    cause: error,
  });
}
