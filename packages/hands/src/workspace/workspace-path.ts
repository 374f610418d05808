import { SynapseError } from '@synapse/protocol';
import { displayName, hasByteEscape, isDeceptive, unescapeName, type Name } from './byte-name.ts';

/** Linux: NAME_MAX and PATH_MAX. Longer names fail in the kernel with a worse message. */
const NAME_MAX_BYTES = 255;
const PATH_MAX_BYTES = 4096;

/** A path below the workspace root, by components; the root itself has none. */
export type WorkspacePath = readonly Name[];

function refuse(message: string, hint = 'Give a path relative to the workspace, such as src/app.ts.'): never {
  throw new SynapseError('invalid_arguments', message, { hint });
}

/** Shortens hostile input before it is repeated in a message. */
function excerpt(input: string): string {
  const shown = displayName(input);
  return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
}

/** Whether a path names a place in the workspace, by its text. */
export function isInside(input: string, roots: readonly string[]): boolean {
  return !input.startsWith('/') || roots.some((root) => input === root || input.startsWith(root === '/' ? root : `${root}/`));
}

function stripRoot(input: string, roots: readonly string[]): string {
  for (const root of roots) {
    if (input === root) return '.';
    // The separator matters: /srv/app-evil is not inside /srv/app.
    if (input.startsWith(root === '/' ? root : `${root}/`)) return input.slice(root.length + 1);
  }
  throw new SynapseError('outside_workspace', `The path ${excerpt(input)} is outside the workspace.`, {
    hint: 'Only paths inside the workspace can be used; give one relative to it.',
  });
}

/**
 * Reads a path as a model wrote it. Lexical work only: links are judged by handle, when the file is
 * reached. `~`, `$HOME` and `%2e` are names like any other.
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
 * A glob as a model wrote it, relative to the folder that is searched: models that think in absolute paths
 * write such globs too, and one that is taken for a name at the root would match nothing and say so.
 *
 * @param folder the folder that is searched, as it is shown; "." is the root
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

/** The path that `\xNN` escapes stand for, or undefined where the path has none. */
export function unescapePath(path: WorkspacePath): WorkspacePath | undefined {
  if (!path.some((name) => typeof name === 'string' && hasByteEscape(name))) return undefined;
  return path.map((name) => (typeof name === 'string' ? unescapeName(name) : name));
}

/** Refuses to create a name that would deceive whoever reads a listing or a log. */
export function assertCreatable(path: WorkspacePath): void {
  for (const name of path) {
    if (typeof name === 'string' && !isDeceptive(name) && !hasByteEscape(name)) continue;
    refuse(
      `The name ${excerpt(typeof name === 'string' ? name : displayName(name))} holds control or invisible characters, or a \\xNN escape.`,
      'New files and folders take visible characters only.',
    );
  }
}
