import { isSynapseError, SynapseError } from '@synapse/protocol';
import type { CheckedCall } from '../call/call.ts';
import { nearest, slips } from '../text/nearest.ts';
import { displayText } from '../workspace/byte-name.ts';
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

/** A path without what is no part of it: quotes, backslashes, a line number. */
function plainPath(path: string): string {
  return decoded(path.trim().replace(/^["'`@]+|["'`]+$/gu, ''))
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/u, '')
    .replace(/(?:(?::L?\d+){1,2}(?:-L?\d+)?:?|#L?\d.*|\(\d+,\s*\d+\)|,? lines? \d.*)$/u, '');
}

/** Other spellings of a path: plain, and below another folder. */
function rewritten(path: string): string[] {
  const plain = plainPath(path);
  const parts = plain.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return [plain, ...parts.slice(-MAX_PARTS).map((_, index, kept) => kept.slice(index).join('/'))].filter((candidate) => candidate !== path);
}

/** A name regardless of case, and of the form in which Unicode writes its letters. */
const folded = (name: string): string => name.normalize().toLowerCase();

/** Names in the same folder that differ in case, or by a typo. */
function beside(powers: Powers, path: string): string[] {
  const slash = path.lastIndexOf('/');
  const [folder, name] = [slash === -1 ? '.' : path.slice(0, slash), path.slice(slash + 1)];
  try {
    const { entries } = powers.workspace.list(folder, LIST);
    const names = [...entries].map((entry) => entry.path.slice(entry.path.lastIndexOf('/') + 1));
    const same = names.filter((one) => folded(one) === folded(name));
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

/** Names of root folders as models know them from examples and other machines. */
const USUAL_ROOTS: ReadonlySet<string> = new Set(['workspace', 'workspaces', 'repo', 'app', 'project', 'code', 'testbed', 'work', 'PWD']);
/** The prefixes of git for the two sides of a diff, also with `diff.mnemonicPrefix`. */
const DIFF_SIDES: ReadonlySet<string> = new Set(['a', 'b', 'c', 'i', 'o', 'w']);
/** Folders of a machine, where a file is not one of the workspace. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(
  'etc usr proc sys dev var opt lib lib64 bin sbin run boot tmp private Library System Applications Windows'.split(' '),
);
/** Folders of installed files, which have the names of others. */
const INSTALLED: ReadonlySet<string> = new Set(['node_modules', 'site-packages', 'dist-packages', 'vendor']);

/** Suggestions for a path, and whether the only one is certainly what is meant. */
interface Suggestions {
  readonly paths: readonly string[];
  readonly certain: boolean;
}

const NONE: Suggestions = { paths: [], certain: false };

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** What a spelling leaves out of a path: only where the workspace is, a place of another file, or a folder that is not there. */
type Dropped = 'place' | 'elsewhere' | 'folder';

/** The last name, without the signs of a variable. */
const lastName = (names: readonly string[]): string => names.at(-1)?.replace(/^\$\{?(\w+)\}?$/u, '$1') ?? '';

function droppedFrom(path: string, candidate: string, isOutside: boolean, roots: ReadonlySet<string>): Dropped {
  const parts = partsOf(plainPath(path));
  const kept = partsOf(candidate).length;
  const dropped = parts.slice(0, -kept);
  const [first = ''] = dropped;
  if (dropped.length === 0) return isOutside && SYSTEM_FOLDERS.has(parts[0] ?? '') ? 'elsewhere' : 'place';
  if (dropped.some((part) => part.startsWith('.') || INSTALLED.has(part))) return 'elsewhere';
  const last = lastName(dropped);
  if (USUAL_ROOTS.has(last) || roots.has(last)) return 'place';
  const isRooted = isOutside || /^(?:~|\$|file:|[A-Za-z]:)/u.test(first);
  if (isRooted) return kept > 1 && !SYSTEM_FOLDERS.has(first) ? 'place' : 'elsewhere';
  return dropped.length === 1 && DIFF_SIDES.has(first) ? 'place' : 'folder';
}

/** Whether a name differs from another in case or in its ending, or by a typo. A name that contains the other is another name. */
function isSlip(given: string, found: string): boolean {
  const [a, b] = [given, found].map((path) => folded(path.slice(path.lastIndexOf('/') + 1))) as [string, string];
  const stem = (name: string): string => name.replace(/(?<=.)\.\w+$/u, '');
  const digits = (name: string): string => name.replaceAll(/\D/gu, '');
  const [ours, theirs] = [stem(a), stem(b)];
  return ours === theirs || (ours.length >= 4 && digits(a) === digits(b) && slips(a, b) <= (ours.length >= 5 ? 2 : 1));
}

/** The files of a list that was given as one path; empty if it is no list. */
function listed(path: string, powers: Powers): string[] {
  const parts = path
    .split(/[,;|\s]+/u)
    .map((part) => plainPath(part.replace(/^\[|\]$/gu, '')))
    .filter((part) => part !== '');
  return parts.length > 1 ? parts.filter((part) => exists(powers, part)) : [];
}

async function meantFor(path: string, isOutside: boolean, powers: Powers, roots: ReadonlySet<string>): Promise<Suggestions> {
  const written = rewritten(path).find((candidate) => exists(powers, candidate));
  if (written !== undefined) {
    const dropped = droppedFrom(path, written, isOutside, roots);
    if (dropped !== 'folder') return { paths: [written], certain: dropped === 'place' };
    const namesakes = await ofSameName(powers, written);
    return { paths: [written], certain: namesakes.length === 1 && namesakes[0] === written };
  }
  const several = listed(path, powers);
  if (several.length > 1) return { paths: several, certain: false };
  const near = isOutside
    ? [inKnownFolder(powers, path)].filter((one) => one !== undefined)
    : beside(powers, path).filter((one) => exists(powers, one));
  const [only = '', ...others] = near;
  if (near.length > 0) return { paths: near, certain: !isOutside && others.length === 0 && isSlip(path, only) };
  // The folder that the model believes to be the root.
  if (isOutside) return /^\/[\w-]*\/?$/u.test(path) ? { paths: ['.'], certain: isUsualRoot(path, roots) } : NONE;
  const namesakes = (await ofSameName(powers, path)).filter((candidate) => exists(powers, candidate));
  return { paths: namesakes, certain: namesakes.length === 1 };
}

function isUsualRoot(path: string, roots: ReadonlySet<string>): boolean {
  const [name, ...more] = partsOf(path);
  return more.length === 0 && (name === undefined || USUAL_ROOTS.has(name) || roots.has(name));
}

/** A glob that was given as a path, as a folder and a glob. */
function globIn(path: string): { folder: string; glob: string } {
  const [folder = ''] = /^(?:[^*?/]+\/)*/u.exec(path) ?? [];
  return { folder: folder.slice(0, -1) || '.', glob: path.slice(folder.length) };
}

const takesGlobs = ({ tool }: CheckedCall): boolean => Object.hasOwn(tool.input.shape, 'glob');

/** The correct use of a glob that was passed as a path. */
function globHint(call: CheckedCall, path: string): string {
  const { folder, glob } = globIn(path);
  return takesGlobs(call) ? `Give ${folder} as path and ${glob} as glob.` : `find_files takes globs such as ${path}.`;
}

/** A call that failed because of a path, and what was meant. */
interface Mistaken {
  /** The error, with suggestions. */
  readonly error: unknown;
  /** For a tool that only reads: the arguments that are certainly meant, and a note about them. Undefined if they are not certain. */
  readonly meant?: { readonly arguments: Record<string, unknown>; readonly note: string };
}

/** Maximum number of characters of a given path in a note. */
const SHOWN_PATH = 100;

/** The arguments with another path in place of the given one. */
function withPath(given: Record<string, unknown>, path: string, found: string): Record<string, unknown> {
  const swap = (value: unknown): unknown => (value === path ? found : Array.isArray(value) ? value.map(swap) : value);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, swap(value)]));
}

function meantCall(call: CheckedCall, path: string, { paths, certain }: Suggestions): Mistaken['meant'] {
  if (call.tool.effects !== 'read') return undefined;
  const shown = displayText(path.slice(0, SHOWN_PATH));
  const [only] = paths;
  if (only !== undefined) {
    if (!certain || paths.length > 1) return undefined;
    // Both look the same.
    const form = path.normalize() === only.normalize() ? ', which writes its letters in another form of Unicode' : '';
    return {
      arguments: withPath(call.arguments, path, only),
      note: `There is no ${shown} in the workspace, so this is ${displayText(only)}${form}.`,
    };
  }
  const isGlob = /[*?]/u.test(path) && !path.startsWith('/');
  if (!isGlob || !takesGlobs(call) || call.arguments['glob'] !== undefined || call.arguments['path'] !== path) return undefined;
  const { folder, glob } = globIn(path);
  return {
    arguments: { ...call.arguments, path: folder, glob: [glob] },
    note: `The path was read as the folder ${folder} and the glob ${displayText(glob)}.`,
  };
}

/**
 * What was meant by a call that failed because of a path. The search takes time, but runs only for failed calls.
 *
 * @param roots names that the root folder of the workspace has
 */
export async function didYouMean(
  error: unknown,
  call: CheckedCall,
  powersOf: (call: CheckedCall) => Powers,
  roots: ReadonlySet<string>,
): Promise<Mistaken> {
  if (!isSynapseError(error) || (error.code !== 'not_found' && error.code !== 'outside_workspace')) return { error };
  const [path] = pathsIn(call, error);
  // No help for paths outside the workspace.
  if (path === undefined || error.hint?.includes('Did you mean') === true || /(?:^|\/)\.\.(?:\/|$)/u.test(path)) return { error };
  const suggested = await meantFor(path, error.code === 'outside_workspace', powersOf(call), roots);
  const found = suggested.paths.filter((one) => one !== path);
  const { code, message, hint, details } = error;
  const told =
    found.length > 0
      ? `Did you mean ${found.slice(0, MAX_SAME_NAME).join(' or ')}?`
      : /[*?]/u.test(path)
        ? globHint(call, path.replace(/^\/+/u, ''))
        : undefined;
  if (told === undefined) return { error };
  const meant = meantCall(call, path, { ...suggested, paths: found });
  return {
    error: new SynapseError(code, message, {
      hint: hint === undefined ? told : `${told} ${hint}`,
      ...(details === undefined ? {} : { details }),
      cause: error,
    }),
    ...(meant === undefined ? {} : { meant }),
  };
}
