import { displayName, hasByteEscape, unescapeName } from '../workspace/byte-name.ts';
import { foldName } from '../danger/protected-places.ts';

/** A place as rules see it. Lexical only: link targets are judged again, by handle. */
export interface Location {
  readonly inside: boolean;
  /** Relative to the workspace without a leading `/`; the root itself is empty. Outside: relative to `/`. */
  readonly path: string;
  /** The path, folded as on the most lenient file system, for deny rules. */
  readonly folded: string;
  /** Relative to `/`, for absolute rules. */
  readonly absolute: string;
}

/** Names that only need lower-casing: nearly all of them. Full folding is slow. */
const PLAIN = /^[\w\-+@]+(?:\.[\w\-+@]+)*$/u;

function fold(name: string): string {
  const real = hasByteEscape(name) ? displayNameOf(unescapeName(name)) : name;
  return PLAIN.test(real) ? real.toLowerCase() : foldName(real);
}

function displayNameOf(name: ReturnType<typeof unescapeName>): string {
  return typeof name === 'string' ? name : displayName(name);
}

/** Resolves `.` and `..`; undefined if `..` leads above the start. */
function normalize(parts: readonly string[]): string[] | undefined {
  const names: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') names.push(part);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

function below(root: string, path: string): string | undefined {
  if (path === root) return '';
  const start = root === '/' ? root : `${root}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/**
 * Returns the location of a path.
 *
 * @param roots absolute names of the workspace; the first is its real path
 */
export function locate(path: string, roots: readonly string[]): Location {
  const root = roots[0] ?? '/';
  const names = path.startsWith('/') ? undefined : normalize(path.split('/'));
  if (names !== undefined) return insideOf(root, names);
  const whole = path.startsWith('/') ? path : `${root}/${path}`;
  // `..` of the root is the root.
  const absolute = `/${climb(whole.split('/')).join('/')}`;
  for (const name of roots) {
    const rest = below(name, absolute);
    if (rest !== undefined) return insideOf(root, rest === '' ? [] : rest.split('/'));
  }
  const outside = absolute.slice(1);
  return { inside: false, path: outside, folded: outside.split('/').map(fold).join('/'), absolute: outside };
}

function climb(parts: readonly string[]): string[] {
  const names: string[] = [];
  for (const part of parts) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  return names;
}

function insideOf(root: string, names: readonly string[]): Location {
  const path = names.join('/');
  return { inside: true, path, folded: names.map(fold).join('/'), absolute: path === '' ? root.slice(1) : `${root.slice(1)}/${path}` };
}
