import type { ServerPlace } from '../lsp/locations.ts';
import { count } from '../text/amounts.ts';
import { named } from './check-rename.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of characters that are parsed: an answer about a small project takes no longer by it. */
const MAX_CHARACTERS = 2_000_000;

/**
 * What an answer leaves out of the uses of a name, by the syntax: those of something else with that name, and those of which the server knows nothing,
 * such as in the text of a macro, or of what a stub declares. Without it, a list of some passes for one of all.
 *
 * @param files those that were opened
 */
export async function otherUses(name: string, files: readonly SourceFile[], places: readonly ServerPlace[]): Promise<string[]> {
  const known = new Set(places.map(({ path, range: { start } }) => `${path}:${start.line + 1}`));
  const [others, inMacros] = [new Set<string>(), new Set<string>()];
  let characters = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    characters += file.text.length;
    if (characters > MAX_CHARACTERS) break;
    using syntax = await syntaxOf(file);
    for (const { line, as, inMacro } of syntax?.usesOf(name) ?? []) {
      if (as !== 'code' || inMacro === 'parameter' || known.has(`${file.serverPath}:${line}`)) continue;
      (inMacro === 'text' ? inMacros : others).add(`${file.path}:${line}`);
    }
  }
  return [
    ...(others.size > 0 ? [`${count(others.size, 'other use')} of that name in code, which the server does not name: ${named([...others])}`] : []),
    ...(inMacros.size > 0 ? [`also in the text of macros: ${named([...inMacros])}`] : []),
  ];
}
