import type { ServerRow } from '../lsp/server-table.ts';
import type { ServerChange, ServerEdit } from '../lsp/workspace-edit.ts';
import { named, placesTaken } from './check-rename.ts';
import type { EditedFile } from './edited-file.ts';
import type { LeftUses, MissedUse } from './left-uses.ts';

/** Maximum number of times that uses are added: a file that was left out may be imported by another one. */
const MAX_ROUNDS = 4;

/** A change as files, and the uses of the name that it leaves. */
interface Looked {
  readonly files: readonly EditedFile[];
  readonly uses: LeftUses;
}

/** A rename with all uses. */
interface WholeRename extends Looked {
  readonly change: ServerChange;
  /** Paths of the files that the server left out. */
  readonly completed: readonly string[];
}

/** What is renamed. */
interface RenamedName {
  readonly name: string;
  readonly to: string;
  readonly row: Pick<ServerRow, 'renamesIncluded' | 'pastesNames'>;
}

/** A change with further places, each of which becomes the new name. */
function withPlaces({ files, refused }: ServerChange, missed: readonly MissedUse[], to: string): ServerChange {
  const all = new Map<string, readonly ServerEdit[]>(files);
  for (const { file, range } of missed)
    if (file.serverPath !== undefined) all.set(file.serverPath, [...(all.get(file.serverPath) ?? []), { range, newText: to }]);
  return { files: all, refused };
}

/**
 * Adds the uses that the server left out, where the settings of the project leave out whole files, such as tests, and the server says that each
 * is what was renamed and nothing else. Returns why that cannot be done.
 *
 * @param look reads a change as files
 */
export async function completeRename(
  asked: ServerChange,
  { name, to, row }: RenamedName,
  look: (change: ServerChange) => Promise<Looked | string>,
): Promise<WholeRename | string> {
  const completed = new Set<string>();
  let change = asked;
  for (let round = 0; ; round += 1) {
    const looked = await look(change);
    if (typeof looked === 'string') return looked;
    const { missed } = looked.uses;
    if (missed.length === 0) return await freeOf(to, { ...looked, change, completed: [...completed] });
    const isSure = ({ file, isOnly }: MissedUse): boolean => isOnly && (!asked.files.has(file.serverPath ?? '') || file.serverPath === undefined);
    if (row.renamesIncluded !== true || round >= MAX_ROUNDS || !missed.every(isSure))
      return `the server leaves out ${name} at ${named([...new Set(missed.map(({ at }) => at))])}${row.pastesNames === true ? ', where the preprocessor may drop the code' : ''}`;
    for (const { file } of missed) completed.add(file.path);
    change = withPlaces(change, missed, to);
  }
}

/** The server does not say what collides in the files that it left out: the new name must not be in them. */
async function freeOf(to: string, whole: WholeRename): Promise<WholeRename | string> {
  const added = whole.files.filter(({ source }) => whole.completed.includes(source.path));
  const taken = await placesTaken(added, to, []);
  return taken.length > 0 ? `${to} is used already at ${named(taken)}` : whole;
}
