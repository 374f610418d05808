import { join, nameOf, type TreeView } from './tree-view.ts';

/** Maximum bytes of a list of references: some hundred thousand of them. */
const MAX_REFS_BYTES = 32 * 1024 * 1024;
/** Below the folder of a repository. Git shows the object that such a reference names in place of the one that it is named after. */
const REPLACEMENT = /^refs\/replace\/./u;
/** As git reads a line: digits in any case, one space of any kind, and the name. */
const PACKED = /^(?<object>[\da-f]+)[ \t\r]refs\/replace\/(?<name>.+)$/iu;

/** Both trees, and the folder of a repository. */
interface Sides {
  readonly before: TreeView;
  readonly after: TreeView;
  readonly folder: string;
}

const textOf = (view: TreeView, path: string): string | undefined => view.readText(path, MAX_REFS_BYTES)?.trim();

/** Those of a list of packed references, by what they replace. */
function packed(text = ''): Map<string, string> {
  // Few repositories have any.
  if (!text.includes('refs/replace/')) return new Map();
  return new Map(
    text.split('\n').flatMap((line) => {
      const { object, name } = PACKED.exec(line)?.groups ?? {};
      return object === undefined || name === undefined ? [] : [[name, object.toLowerCase()] as const];
    }),
  );
}

const REPLACES = 'git shows another object in place of one that is committed';
const UNREADABLE = 'it is no file, or too large to see whether git shows another object in place of one that is committed';

/**
 * Why a file makes git show another object in place of one that is committed, or may do so; undefined if it does not. What is checked out of it
 * then, such as by `git stash`, is in no diff and no commit.
 *
 * @param rest its path below the folder of the repository
 */
export function objectReplacement(rest: string, { before, after, folder }: Sides): string | undefined {
  const path = join(folder, rest);
  const type = after.type(path);
  if ((rest !== 'packed-refs' && rest !== 'info/grafts' && !REPLACEMENT.test(rest)) || type === undefined || type === 'folder') return undefined;
  const text = textOf(after, path);
  if (text === undefined) return UNREADABLE;
  if (rest === 'info/grafts') return text === (textOf(before, path) ?? '') ? undefined : REPLACES;
  const inList = packed(textOf(before, join(folder, 'packed-refs')));
  const known = (name: string): string | undefined => textOf(before, join(folder, `refs/replace/${name}`))?.toLowerCase() ?? inList.get(name);
  const replacing = rest === 'packed-refs' ? [...packed(text)] : [[nameOf(rest), text.toLowerCase()] as const];
  return replacing.some(([name, object]) => known(name) !== object) ? REPLACES : undefined;
}

/** The files that {@link objectReplacement} is about, whether they exist or not. */
export function replacementsIn(view: TreeView, folder: string): string[] {
  const loose = (view.names(join(folder, 'refs/replace')) ?? []).map((name) => `refs/replace/${name}`);
  return ['packed-refs', 'info/grafts', ...loose].map((name) => join(folder, name));
}
