import { join, nameOf, type TreeView } from './tree-view.ts';

/** Maximum bytes of a list of references: some hundred thousand of them. */
const MAX_REFS_BYTES = 32 * 1024 * 1024;
/** Below the folder of a repository. Git shows the object that such a reference names in place of the one that it is named after. */
const REPLACEMENT = /^refs\/replace\/./u;
const PACKED = /^(?<object>[\da-f]+) refs\/replace\/(?<name>\S+)$/u;

/** Both trees, and the folder of a repository. */
interface Sides {
  readonly before: TreeView;
  readonly after: TreeView;
  readonly folder: string;
}

const read = (view: TreeView, path: string): string => view.readText(path, MAX_REFS_BYTES)?.trim() ?? '';

/** Those of a list of packed references, by what they replace. */
function packed(view: TreeView, folder: string): Map<string, string> {
  const text = read(view, join(folder, 'packed-refs'));
  // Few repositories have any.
  if (!text.includes(' refs/replace/')) return new Map();
  return new Map(
    text.split('\n').flatMap((line) => {
      const { object, name } = PACKED.exec(line)?.groups ?? {};
      return object === undefined || name === undefined ? [] : [[name, object] as const];
    }),
  );
}

/**
 * Whether a file makes git show another object in place of one that is committed. What is checked out of it then, such as by `git stash`, is in no
 * diff and no commit.
 *
 * @param rest its path below the folder of the repository
 */
export function replacesObjects(rest: string, { before, after, folder }: Sides): boolean {
  const known = (name: string): string => read(before, join(folder, `refs/replace/${name}`)) || (packed(before, folder).get(name) ?? '');
  if (rest === 'packed-refs') return Array.from(packed(after, folder)).some(([name, object]) => known(name) !== object);
  if (rest === 'info/grafts') return read(after, join(folder, rest)) !== read(before, join(folder, rest));
  return REPLACEMENT.test(rest) && after.type(join(folder, rest)) !== 'folder' && known(nameOf(rest)) !== read(after, join(folder, rest));
}

/** The files that {@link replacesObjects} is about, whether they exist or not. */
export function replacementsIn(view: TreeView, folder: string): string[] {
  const loose = (view.names(join(folder, 'refs/replace')) ?? []).map((name) => `refs/replace/${name}`);
  return ['packed-refs', 'info/grafts', ...loose].map((name) => join(folder, name));
}
