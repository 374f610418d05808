import type { ServerPlace } from '../lsp/locations.ts';
import type { NameUse } from '../syntax/read-uses.ts';
import { count } from '../text/amounts.ts';
import { isCall } from './calls.ts';
import { named } from './check-rename.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of characters that are parsed: an answer about a small project takes no longer by it. */
const MAX_CHARACTERS = 2_000_000;

/** The uses of a name in a file, or only the calls, that may be of what is asked about. */
async function usesIn(file: SourceFile, name: string, asked: 'use' | 'call'): Promise<NameUse[]> {
  using syntax = await syntaxOf(file);
  const symbols = syntax?.symbols() ?? [];
  const uses = syntax?.usesOf(name).filter(({ as, inMacro }) => as === 'code' && inMacro !== 'parameter') ?? [];
  return asked === 'use' ? uses : uses.filter((use) => isCall(name, use, file.lines[use.line - 1] ?? '', symbols));
}

/**
 * What an answer leaves out of the uses of a name, by the syntax: those of something else with that name, and those of which the server knows nothing,
 * such as in the text of a macro, or of what a stub declares. Without it, a list of some passes for one of all.
 *
 * @param files those that were opened
 */
export async function otherUses(
  name: string,
  files: readonly SourceFile[],
  places: readonly ServerPlace[],
  asked: 'use' | 'call',
): Promise<string[]> {
  const known = new Set(places.map(({ path, range: { start } }) => `${path}:${start.line + 1}`));
  const [others, inMacros] = [new Set<string>(), new Set<string>()];
  let characters = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    characters += file.text.length;
    if (characters > MAX_CHARACTERS) break;
    for (const { line, inMacro } of await usesIn(file, name, asked))
      if (!known.has(`${file.serverPath}:${line}`)) (inMacro === 'text' ? inMacros : others).add(`${file.path}:${line}`);
  }
  return [
    ...(others.size > 0
      ? [`${count(others.size, `other ${asked}`)} of that name in code, which the server does not name: ${named([...others])}`]
      : []),
    ...(inMacros.size > 0 ? [`also in the text of macros: ${named([...inMacros])}`] : []),
  ];
}
