import type { EditedFile } from './edited-file.ts';
import { lineAt, lineStarts } from './line-starts.ts';

/** What is before the name of a tag, and not before an argument of a type: `f<a>`. */
const OPENING = /(?:^|[^\p{L}\p{N}_$)])<\/?$/u;
/** What is after a name that is a type parameter, or only the beginning of the tag's name. */
const NO_TAG = /^(?:\s*[,.=-]|\s+extends\b)/u;
const LOWER_CASE = /^[a-z]/u;

/** The places where an edit renames the tag of a JSX element. */
function tagsIn({ source, replacements }: EditedFile): string[] {
  if (!/\.[jt]sx$/u.test(source.path)) return [];
  const starts = lineStarts(source.text);
  return replacements
    .filter(({ start, end }) => OPENING.test(source.text.slice(Math.max(0, start - 3), start)) && !NO_TAG.test(source.text.slice(end, end + 20)))
    .map(({ start }) => `${source.path}:${lineAt(starts, start)}`);
}

/** Why tags cannot have the new name: one in lower case is no component, but what is rendered. Undefined if they can. */
export function tagProblem(files: readonly EditedFile[], name: string, to: string): string | undefined {
  const [wrong] = LOWER_CASE.test(name) || LOWER_CASE.test(to) ? files.flatMap(tagsIn) : [];
  if (wrong === undefined) return undefined;
  return LOWER_CASE.test(name)
    ? `${name} is the name of an element, which is rendered, at ${wrong}`
    : `${wrong} has it as a component, and ${to} would be the name of an element: its first letter must be a capital`;
}
