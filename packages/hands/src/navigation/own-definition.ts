import type { Located } from './locate.ts';
import { placeOf } from './find-declarations.ts';
import type { Found } from './navigation-use.ts';
import type { SourceFile } from './source.ts';

/**
 * The answer to where something of C is defined. Asked at the definition itself, clangd names the declaration instead, such as that in a header.
 */
export function ownDefinition(found: Found, source: SourceFile, { name, line, column, group }: Located): Found {
  const first = group?.first;
  if (group === undefined || first?.name !== name || first.nameLine !== line || first.nameColumn !== column) return found;
  const hasBody = source.lines
    .slice(group.line - 1, group.endLine)
    .join('\n')
    .includes('{');
  const isNamed = found.places.some((place) => place.path === source.path && place.line >= group.line && place.line <= group.endLine);
  if (!hasBody || isNamed) return found;
  const declared = found.places.map((place) => `${place.path}:${place.line}`);
  const notes = declared.length === 0 ? found.notes : [...found.notes, `declared at ${declared.join(', ')}`];
  return { ...found, places: [placeOf({ path: source.path, group, source })], total: 1, notes };
}
