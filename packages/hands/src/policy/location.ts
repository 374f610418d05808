import { displayName, hasByteEscape, unescapeName } from '../workspace/byte-name.ts';
import { foldName } from '../danger/fold-name.ts';

/** A place as rules see it. Lexical: links are judged again by handle, where they lead. */
export interface Location {
  readonly inside: boolean;
  /** Relative to the workspace without a leading `/`; the root itself is empty. Outside: relative to `/`. */
  readonly path: string;
  /** The path as the laxest file system would read it: what is denied is compared with this. */
  readonly folded: string;
  /** Relative to `/`, for rules about absolute places. */
  readonly absolute: string;
}

/** Names that need no folding but lower case: nearly all, and folding is slow. */
const PLAIN = /^[\w\-+@]+(?:\.[\w\-+@]+)*$/u;

function fold(name: string): string {
  const real = hasByteEscape(name) ? displayNameOf(unescapeName(name)) : name;
  return PLAIN.test(real) ? real.toLowerCase() : foldName(real);
}

function displayNameOf(name: ReturnType<typeof unescapeName>): string {
  return typeof name === 'string' ? name : displayName(name);
}

/** Resolves `.` and `..`; undefined where `..` climbs above the start. */
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
 * Where a path leads.
 *
 * @param roots absolute names of the workspace; the first is its real path
 */
export function locate(path: string, roots: readonly string[]): Location {
  const root = roots[0] ?? '/';
  const names = path.startsWith('/') ? undefined : normalize(path.split('/'));
  if (names !== undefined) return insideOf(root, names);
  const whole = path.startsWith('/') ? path : `${root}/${path}`;
  // At the top `..` stays at the top.
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
