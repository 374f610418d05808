import type { EditedFile } from './edited-file.ts';
import { named } from './check-rename.ts';
import { type SourceFile, syntaxOf } from './source.ts';

const PYTHON = /\.pyi?$/u;
/** An import under a name of its own, up to that name. Imports may be on lines of their own, in parentheses. */
const IMPORTED_AS = /(?:^|[\s,(])[\w.]+\s+as\s+$/u;
const STATEMENT = /^\s*(?:(?:from|import)\b|[\w.]+\s+as\b)/u;
/** What is before a name that is taken from a module. */
const TAKEN = /(?:(?<!\.)\.\s*|^\s*from\b.*\bimport\b.*[\s,(]|^\s*)$/u;

/** Whether all of a rename is in one file of Python that imports something under this name. */
function isImportedName(edited: readonly EditedFile[]): boolean {
  const [only] = edited;
  if (only === undefined || edited.length > 1 || !PYTHON.test(only.source.path)) return false;
  const { source, replacements } = only;
  return replacements.some(({ start }) => {
    const before = source.text.slice(source.text.lastIndexOf('\n', start - 1) + 1, start);
    return STATEMENT.test(before) && IMPORTED_AS.test(before);
  });
}

/**
 * Why an imported name cannot be renamed: other files may take it from this one, as from the package of a `__init__.py`. A server follows such
 * a use to the declaration, and leaves it out. Undefined if it can.
 */
export async function passedOnProblem(files: readonly SourceFile[], edited: readonly EditedFile[], name: string): Promise<string | undefined> {
  if (!isImportedName(edited)) return undefined;
  const taken: string[] = [];
  for (const file of files) {
    if (edited.some(({ source }) => source.path === file.path)) continue;
    using syntax = await syntaxOf(file);
    for (const { line, column, as } of syntax?.usesOf(name) ?? [])
      if (as === 'code' && TAKEN.test((file.lines[line - 1] ?? '').slice(0, column))) taken.push(`${file.path}:${line}`);
  }
  return taken.length > 0
    ? `it is only imported there, and others may take it from there, such as ${named([...new Set(taken)])}: rename its declaration`
    : undefined;
}
