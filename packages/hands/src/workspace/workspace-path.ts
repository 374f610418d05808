import { SynapseError } from '@synapse/protocol';
import { foreignPath } from './foreign-path.ts';
import { displayName, hasByteEscape, isDeceptive, unescapeName, type Name } from './byte-name.ts';

/** Text whose characters are its bytes: nearly all names. */
const ASCII = /^[ -~]*$/u;
const inBytes = (name: string): string => Buffer.from(name).toString('latin1');

/** Converts a location to text with one character per byte (latin1), the form of the detector and the index. */
export function bytePath(location: WorkspacePath): string {
  return location.map((name) => (typeof name !== 'string' ? name.toString('latin1') : ASCII.test(name) ? name : inBytes(name))).join('/');
}

/** The folders around an entry, outer ones first, without the root. */
export const foldersAround = (location: WorkspacePath): WorkspacePath[] => location.slice(1).map((_, index) => location.slice(0, index + 1));

/** Linux NAME_MAX and PATH_MAX. For longer names the kernel's error is less helpful. */
const NAME_MAX_BYTES = 255;
const PATH_MAX_BYTES = 4096;

/** A path below the workspace root, as components; empty for the root. */
export type WorkspacePath = readonly Name[];

/** Whether a text is the handle of stored output. Every other text is a path. */
export function isSpillHandle(text: string): boolean {
  return /^spill:[a-z0-9]{24}$/u.test(text);
}

function refuse(message: string, hint = 'Give a path relative to the workspace, such as src/app.ts.'): never {
  throw new SynapseError('invalid_arguments', message, { hint });
}

/** Shortens hostile input for an error message. */
function excerpt(input: string): string {
  const shown = displayName(input);
  return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
}

/** Whether an absolute path is a folder or is below it. The separator matters: /srv/app-evil is not inside /srv/app. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Whether a path is inside the workspace, judging by its text. */
export function isInside(input: string, roots: readonly string[]): boolean {
  return !input.startsWith('/') || roots.some((root) => isWithin(input, root));
}

function stripRoot(input: string, roots: readonly string[]): string {
  for (const root of roots) {
    if (input === root) return '.';
    if (isWithin(input, root)) return input.slice(root.length + 1);
  }
  throw new SynapseError('outside_workspace', `The path ${excerpt(input)} is outside the workspace.`, {
    hint: 'Only paths inside the workspace can be used; give one relative to it.',
  });
}

/**
 * Parses a path from a model. Lexical only: links are judged by handle when the file is
 * opened. `~`, `$HOME` and `%2e` are ordinary names.
 *
 * @param roots absolute names of the workspace root; an absolute path below one of them is accepted
 */
export function parseWorkspacePath(input: string, roots: readonly string[]): WorkspacePath {
  if (input.trim() === '') refuse('The path is empty.', 'Give a path relative to the workspace; "." is the workspace itself.');
  if (input.includes('\0')) refuse('The path holds a NUL character.');
  if (!input.isWellFormed()) refuse('The path holds half of a surrogate pair, which no file name can.');
  if (Buffer.byteLength(input) > PATH_MAX_BYTES) refuse(`The path is longer than ${PATH_MAX_BYTES} bytes.`);
  const relative = input.startsWith('/') ? stripRoot(input, roots) : input;
  const names: string[] = [];
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (Buffer.byteLength(part) > NAME_MAX_BYTES) refuse(`A name in the path is longer than ${NAME_MAX_BYTES} bytes.`);
    if (part !== '..') names.push(part);
    else if (names.pop() === undefined) {
      throw new SynapseError('outside_workspace', `The path ${excerpt(input)} leaves the workspace.`, {
        hint: 'Only paths inside the workspace can be used; give one without "..".',
      });
    }
  }
  return names;
}

/**
 * Converts a glob from a model to one relative to the searched folder. Models that use absolute paths also write
 * absolute globs. Read as a name at the root, such a glob would match nothing.
 *
 * @param folder the searched folder, as shown; "." is the root
 */
export function relativeGlob(glob: string, folder: string, roots: readonly string[]): string {
  const [mark, text] = glob.startsWith('!') ? ['!', glob.slice(1)] : ['', glob];
  const root = roots.find((one) => one !== '/' && text.startsWith(`${one}/`));
  if (root === undefined) return glob;
  const inner = text.slice(root.length);
  if (folder === '.') return mark + inner;
  if (inner.startsWith(`/${folder}/`)) return mark + inner.slice(folder.length + 1);
  return refuse(
    `The glob ${excerpt(glob)} names no place in ${excerpt(folder)}, which is to be searched.`,
    'Leave out the path, or give a glob relative to it.',
  );
}

/** Decodes the `\xNN` escapes of a path; undefined if it has none. */
export function unescapePath(path: WorkspacePath): WorkspacePath | undefined {
  if (!path.some((name) => typeof name === 'string' && hasByteEscape(name))) return undefined;
  return path.map((name) => (typeof name === 'string' ? unescapeName(name) : name));
}

/**
 * Throws for a new entry whose name would be misleading in a listing or a log, or whose path means another place.
 *
 * @param created number of names at the end of the path that would be new
 */
export function assertCreatable(path: WorkspacePath, created: number): void {
  if (path[0] === '~') {
    throw new SynapseError('outside_workspace', 'The path ~ is outside the workspace.', { hint: 'Give a path relative to the workspace.' });
  }
  const backslashes = path.find((name) => typeof name === 'string' && name.includes('\\'));
  if (backslashes !== undefined) {
    const [shown, other] = [excerpt(String(backslashes)), path.join('/').replaceAll('\\', '/')];
    refuse(
      `The name ${shown} holds a backslash.`,
      /^[A-Za-z]:/u.test(other) ? 'Give a path relative to the workspace, with / between folders.' : `Write ${excerpt(other)}.`,
    );
  }
  const foreign = foreignPath(path.map(String), created);
  if (foreign !== undefined) refuse(`The path ${excerpt(path.map(String).join('/'))} ${foreign.reason}; nothing was created.`, foreign.hint);
  for (const name of path) {
    if (typeof name === 'string' && !isDeceptive(name) && !hasByteEscape(name)) continue;
    refuse(
      `The name ${excerpt(typeof name === 'string' ? name : displayName(name))} holds control or invisible characters, or a \\xNN escape.`,
      'New files and folders take visible characters only.',
    );
  }
}
