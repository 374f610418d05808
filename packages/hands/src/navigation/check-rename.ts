import type { ServerPlace } from '../lsp/locations.ts';
import { count } from '../text/amounts.ts';
import { wordPattern } from '../syntax/read-uses.ts';
import type { EditedFile } from './edited-file.ts';
import { syntaxOf } from './source.ts';

/** Maximum number of places that a refusal names. */
const MAX_NAMED = 5;

/**
 * Why the new name cannot stand where the old one did, by the syntax; undefined if it can: it may be a word of the language, or declared
 * beside the renamed declaration.
 */
export async function syntaxProblem({ source, newText, touches }: EditedFile, to: string): Promise<string | undefined> {
  using after = await syntaxOf({ path: source.path, text: newText });
  const isUsed = wordPattern(to).test(source.text);
  if (after?.hasError !== true && !isUsed) return undefined;
  using before = await syntaxOf(source);
  if (before?.hasError === false && after?.hasError === true) return `${to} cannot be a name in ${source.path}`;
  const symbols = before?.symbols() ?? [];
  const renamed = symbols.filter(({ nameLine, nameColumn }) => touches(nameLine, nameColumn));
  for (const { path } of renamed) {
    const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.') + 1) : '';
    const taken = symbols.find((one) => one.path === `${parent}${to}`);
    if (taken !== undefined) return `${source.path}:${taken.line} already declares ${taken.path}`;
  }
  return undefined;
}

const key = (path: string, line: number): string => `${path}:${line + 1}`;

function countLines(places: readonly { readonly path: string; readonly line: number }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, line } of places) counts.set(key(path, line), (counts.get(key(path, line)) ?? 0) + 1);
  return counts;
}

/**
 * Compares what a name means before and after a rename: the same places must belong to the symbol. Otherwise the new name collides: it
 * takes in places of another symbol, or another symbol takes some of its own. Returns the places that differ.
 */
export function collisions(before: readonly ServerPlace[], after: readonly ServerPlace[]): string[] {
  const [old, now] = [before, after].map((places) => countLines(places.map(({ path, range }) => ({ path, line: range.start.line }))));
  if (old === undefined || now === undefined) return [];
  return [...new Set([...old.keys(), ...now.keys()])].filter((one) => (old.get(one) ?? 0) !== (now.get(one) ?? 0));
}

/** Names some of many places. */
export function named(places: readonly string[]): string {
  const more = places.length - MAX_NAMED;
  return `${places.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${count(more, 'more', 'more')}` : ''}`;
}

/**
 * The places where the new name is used already. For a server that cannot say what it would mean there: then any use of it may collide.
 *
 * @param declared where files of the language declare it
 */
export async function placesTaken(edited: readonly EditedFile[], to: string, declared: readonly string[]): Promise<string[]> {
  const taken = [...declared];
  for (const { source } of edited) {
    using syntax = await syntaxOf(source);
    for (const { line, as } of syntax?.usesOf(to) ?? []) if (as === 'code') taken.push(`${source.path}:${line}`);
  }
  return [...new Set(taken)];
}
