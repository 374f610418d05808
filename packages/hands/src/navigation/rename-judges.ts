import type { Git } from '../git/git.ts';
import type { CodeSession } from '../lsp/code-servers.ts';
import type { Asked } from './ask-server.ts';
import { named, placesTaken, syntaxProblem } from './check-rename.ts';
import { collision } from './collision.ts';
import type { EditedFile } from './edited-file.ts';
import { type Family, familyProblem } from './family-rename.ts';
import { findDeclarations } from './find-declarations.ts';
import { fixtureProblem } from './given-by-name.ts';
import type { IsHeaderC } from './header-language.ts';
import { leftImplementers } from './left-implementers.ts';
import type { LeftUses } from './left-uses.ts';
import { mentioning, type Mentions } from './mentions.ts';
import type { NavigationUse } from './navigation-use.ts';
import { passedOnProblem } from './passed-on.ts';
import { type Pasting, pastedAt, pastedFrom } from './pasted-names.ts';
import { tagProblem } from './rendered-tags.ts';
import type { SourceFile } from './source.ts';

/** What a rename needs of a call. */
export interface RenameUse extends NavigationUse {
  readonly git: Git;
}

/** A rename as it is asked for. */
export interface Renaming extends Asked {
  readonly to: string;
  readonly mentions: Mentions;
  readonly use: RenameUse;
  readonly isC: IsHeaderC;
}

/** A rename as the server would make it. */
export interface ForeseenRename extends Renaming {
  readonly session: CodeSession;
  /** Of the file that declares or uses the name. */
  readonly path: string;
  /** The files that have the name, with that file. */
  readonly mentioned: readonly SourceFile[];
  readonly files: readonly EditedFile[];
  readonly uses: LeftUses;
  /** The macros that can paste names together, where the language has some. */
  readonly pasting: Pasting | undefined;
  /** The methods that are renamed together. */
  readonly family: Family | undefined;
}

/** Says why a rename cannot be done completely; undefined if it can, as far as the judge knows. */
type RenameJudge = (rename: ForeseenRename) => Promise<string | undefined> | string | undefined;

async function judgeSyntax({ files, to }: ForeseenRename): Promise<string | undefined> {
  for (const file of files) {
    const problem = await syntaxProblem(file, to);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

async function judgePasted(rename: ForeseenRename): Promise<string | undefined> {
  const { session, pasting, files, located, use } = rename;
  if (pasting === undefined) return undefined;
  const pasted = await pastedAt(session, rename, { ...pasting, edited: files, root: use.workspace.root, use });
  if (pasted.length > 0) return `a macro pastes ${located.name} together at ${named(pasted)}, where it is not written`;
  const argued = pastedFrom(files, pasting);
  return argued.length > 0 ? `a macro pastes other names from ${located.name} at ${named(argued)}` : undefined;
}

function judgeLeftUses({ uses: { inMacros, unknown }, located }: ForeseenRename): string | undefined {
  if (inMacros.length > 0) return `macros have ${located.name} in their text at ${named(inMacros)}, which the server does not rename`;
  if (unknown.length === 0) return undefined;
  return `the server does not know what ${located.name} is at ${named(unknown)}: nothing tells its type there, or the project is not loaded`;
}

/** Where the new name is used or declared, as far as the syntax of the language tells. */
async function takenPlaces({ files, to, row, use }: ForeseenRename): Promise<string[]> {
  const { found } = await findDeclarations(to, '.', use, { extensions: Object.keys(row.languages) });
  const outer = found.filter(({ group }) => group.first.depth === 0);
  return await placesTaken(
    files,
    to,
    outer.map(({ path, group }) => `${path}:${group.line}`),
  );
}

/** Whether the new name would mean something else somewhere. */
async function judgeNewName(rename: ForeseenRename): Promise<string | undefined> {
  const { session, family, files, located, row, path, to, use } = rename;
  if (family !== undefined) return await familyProblem(session, family, files, rename);
  // Where no file has the new name, it cannot mean anything else. The question would take a second over a hundred files.
  if ((await mentioning(to, Object.keys(row.languages), '.', use)).length === 0) return undefined;
  if (row.readsOpened !== true && session.offers('referencesProvider'))
    return await collision(session, { located, row, path, to, edited: files, root: use.workspace.root });
  const taken = await takenPlaces(rename);
  return taken.length > 0 ? `${to} is used already at ${named(taken)}` : undefined;
}

/** In this order. The last one shows the server the new texts, so nothing can be asked about the old ones after it. */
const JUDGES: readonly RenameJudge[] = [
  judgeSyntax,
  async ({ session, located, path, row, use, mentioned, files }) =>
    await leftImplementers(session, { located, path, row, root: use.workspace.root }, mentioned, files),
  ({ files, located, to }) => tagProblem(files, located.name, to),
  ({ files, located, mentioned }) => fixtureProblem(mentioned, files, located.name),
  async ({ files, located, mentioned }) => await passedOnProblem(mentioned, files, located.name),
  judgePasted,
  judgeLeftUses,
  judgeNewName,
];

/** Why a rename cannot be done completely; undefined if it can. */
export async function renameProblem(rename: ForeseenRename): Promise<string | undefined> {
  for (const judge of JUDGES) {
    const problem = await judge(rename);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
