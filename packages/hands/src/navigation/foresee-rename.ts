import { isSynapseError, type Permission, SynapseError } from '@synapse/protocol';
import { ignoredPaths } from '../git/ignored-paths.ts';
import { serverFor, type ServerRow } from '../lsp/server-table.ts';
import type { CodeSession } from '../lsp/code-servers.ts';
import { readWorkspaceEdit, type ServerChange } from '../lsp/workspace-edit.ts';
import { count } from '../text/amounts.ts';
import { mentionsOf, openAll } from './ask-server.ts';
import { whyNotOurs } from './not-ours.ts';
import { reasonOf } from '../lsp/server-reason.ts';
import { named } from './check-rename.ts';
import { completeRename } from './complete-rename.ts';
import { editFile, type EditedFile } from './edited-file.ts';
import { type Family, familyNote, familyOf } from './family-rename.ts';
import { headerLeftOut, headersInC } from './header-language.ts';
import { locateIn } from './navigate.ts';
import { namedElsewhere } from './named-elsewhere.ts';
import type { Wanted } from './navigation-use.ts';
import { findPasting } from './pasted-names.ts';
import { type ForeseenRename, type Renaming, type RenameUse, renameProblem } from './rename-judges.ts';
import { RenamePlan, type Untouched } from './rename-plan.ts';
import { isFamilyReason, renameRefusal as refused } from './rename-refusal.ts';
import { openSource, type SourceFile, syntaxOf } from './source.ts';
import { leftUses } from './left-uses.ts';
import { readUntouched } from './untouched.ts';

/** Milliseconds for the server, with its start. */
const RENAME_MS = 50_000;
const LOAD_MS = 20_000;
/** Maximum number of files that mention the name. */
const MAX_MENTIONS = 2_000;
/** Maximum number of files that are opened at first, one of each folder first, and then, where the server did not know them. */
const MAX_FIRST = 40;
const MAX_MORE = 300;

const NEW_NAME = /^[#@$]?[\p{L}_$][\p{L}\p{N}_$]{0,199}[?!]?$/u;

/** The answer of a server to a rename, and to what the name means before and after. */
interface Answer {
  readonly change: ServerChange;
  readonly files: readonly EditedFile[];
  readonly problem: string | undefined;
  /** What was not looked at. */
  readonly notes: readonly string[];
}

/** The files that the server changed nothing in, though they have the name in code, and were not open: their projects may not be loaded. */
async function unknownFiles(files: readonly SourceFile[], opened: ReadonlySet<string>, change: ServerChange, name: string): Promise<SourceFile[]> {
  const unknown: SourceFile[] = [];
  for (const file of files) {
    if (opened.has(file.path) || change.files.has(file.serverPath ?? '')) continue;
    using syntax = await syntaxOf(file);
    if (syntax === undefined || syntax.usesOf(name).some(({ as }) => as === 'code')) unknown.push(file);
  }
  return unknown;
}

/** Asks for the edits, with every project loaded that may have the name. */
async function askEdits(session: CodeSession, path: string, { source, located, row, to, mentions, use, isC }: Renaming): Promise<ServerChange> {
  const position = { line: located.line - 1, character: located.column };
  const { root } = use.workspace;
  const ask = async (files: readonly SourceFile[]): Promise<ServerChange> => {
    openAll(session, row, { source, mentions: { files }, isC });
    if (!(await session.settle(LOAD_MS))) return { files: new Map(), refused: 'the server still loads projects: repeat the call' };
    if (session.trouble !== undefined) {
      const { reason, advice = '' } = session.trouble;
      return { files: new Map(), refused: `the server does not know all of the project: ${reason}. ${advice}`.replace(/[.\s]+$/u, '') };
    }
    return readWorkspaceEdit(await session.at('textDocument/rename', path, position, { newName: to }), root, (one) => session.versionOf(one));
  };
  const first = mentions.files.slice(0, MAX_FIRST);
  const change = await ask(first);
  if (change.refused !== undefined) return change;
  const unknown = await unknownFiles(mentions.files, new Set([...first, source].map((file) => file.path)), change, located.name);
  if (unknown.length === 0) return change;
  if (unknown.length > MAX_MORE) return { files: new Map(), refused: `${unknown.length} files have the name, and the server knows nothing of them` };
  return await ask([...first, ...unknown]);
}

/** The edits, of all methods that have to be renamed together. */
async function askAll(session: CodeSession, path: string, renaming: Renaming): Promise<{ readonly asked: ServerChange; readonly family?: Family }> {
  const { located, row, source, mentions, use, to } = renaming;
  const { root } = use.workspace;
  const [asked] = await Promise.allSettled([askEdits(session, path, renaming)]);
  const isAlone = row.leavesImplementers !== true || !session.offers('implementationProvider') || !session.offers('referencesProvider');
  const mayBeMethod = asked.status === 'fulfilled' ? asked.value.refused === undefined : isFamilyReason(reasonOf(asked.reason, root) ?? '');
  if (!isAlone && mayBeMethod) {
    const member = { path, position: { line: located.line - 1, character: located.column } };
    const family = await familyOf(session, member, to, { name: located.name, root, files: [source, ...mentions.files] });
    if (family !== undefined) return { asked: family.change, family };
  }
  if (asked.status === 'rejected') throw asked.reason;
  return { asked: asked.value };
}

/** The edits as files, each as it is now on disk. */
async function editFiles({ files }: ServerChange, { located, to, use }: Renaming): Promise<EditedFile[] | string> {
  const edited: EditedFile[] = [];
  // A server names them in any order, and each time in another.
  for (const [path, edits] of [...files].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    use.signal.throwIfAborted();
    let source: SourceFile;
    try {
      source = await openSource(use.workspace, path);
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      return `it would also change ${path}: ${error.message.replace(/\.$/u, '')}`;
    }
    const notOurs = whyNotOurs(source);
    if (notOurs !== undefined) return `it would also change ${path}, which is ${notOurs}`;
    const one = editFile(source, edits, located.name, to);
    if (typeof one === 'string') return one;
    edited.push(one);
  }
  const ignored = await ignoredPaths(
    use.git,
    use.workspace,
    edited.map(({ source }) => source.path),
    use.signal,
  );
  const [hidden] = ignored ?? [];
  return hidden === undefined ? edited : `it would also change ${hidden}, which the repository ignores: it may be generated`;
}

async function converse(session: CodeSession, path: string, renaming: Renaming): Promise<Answer> {
  const { located, row, to, use } = renaming;
  const none = (problem: string, change: ServerChange = { files: new Map(), refused: problem }): Answer => ({
    change,
    files: [],
    problem,
    notes: [],
  });
  if (!session.offers('renameProvider')) return none('its language server cannot rename');
  try {
    const { asked, family } = await askAll(session, path, renaming);
    if (asked.refused !== undefined) return none(asked.refused, asked);
    const { root } = use.workspace;
    const mentions = [renaming.source, ...renaming.mentions.files];
    const whole = await completeRename(asked, { name: located.name, to, row }, async (change) => {
      const files = await editFiles(change, renaming);
      return typeof files === 'string' ? files : { files, uses: await leftUses(session, located.name, mentions, files, { row, root }) };
    });
    if (typeof whole === 'string') return none(whole, asked);
    const { change, files } = whole;
    const pasting = row.pastesNames === true ? await findPasting(located.name, Object.keys(row.languages), use) : undefined;
    const foreseen: ForeseenRename = { ...renaming, session, path, mentioned: mentions, files, uses: whole.uses, pasting, family };
    const problem = await renameProblem(foreseen);
    return problem === undefined ? { change, files, problem, notes: notLookedAt(foreseen, whole.completed) } : none(problem, change);
  } catch (error) {
    const reason = reasonOf(error, use.workspace.root);
    if (reason === undefined) throw error;
    return none(`the server says: ${reason}`);
  }
}

/** What the answer says beside the change. @param completed files that the settings of the project leave out */
function notLookedAt({ family, uses: { left }, pasting }: ForeseenRename, completed: readonly string[]): string[] {
  return [
    ...(family === undefined ? [] : [familyNote(family)]),
    ...(left === 0 ? [] : [`the server was not asked about ${count(left, 'more use')} of that name`]),
    ...(pasting === undefined || pasting.left === 0
      ? []
      : [`${count(pasting.left, 'more file')} not looked at, with macros that can paste that name (${named([...pasting.macros])})`]),
    ...(completed.length === 0 ? [] : [`also in files that the settings of the project leave out: ${named(completed)}`]),
  ];
}

function notesOf(origin: string, untouched: readonly Untouched[]): string[] {
  const of = (as: Untouched['as']): string[] => untouched.filter((one) => one.as === as).map(({ path, line }) => `${path}:${line}`);
  const [strings, comments, code] = [of('string'), of('comment'), of('code')];
  return [
    origin,
    ...(strings.length > 0 ? [`not touched in ${count(strings.length, 'string')}: ${named(strings)}`] : []),
    ...(comments.length > 0 ? [`not touched in ${count(comments.length, 'comment')}: ${named(comments)}`] : []),
    ...(code.length > 0 ? [`${count(code.length, 'other use')} of that name, which the server takes for something else: ${named(code)}`] : []),
  ];
}

/** What may belong together though no type says so. Where the server knows it, all of it is renamed, or nothing. */
function fittingNote(fitting: readonly string[], { leavesImplementers }: ServerRow): string[] {
  return fitting.length === 0 || leavesImplementers === true
    ? []
    : [`not renamed, and may have to be, as types fit an interface without saying so: ${named(fitting)}`];
}

/** The new name of what has a name. */
function newName(name: string, given: string): string {
  // Without it, a private member would become a public one.
  const to = name.startsWith('#') && !given.startsWith('#') ? `#${given}` : given;
  if (!NEW_NAME.test(to))
    throw new SynapseError('invalid_arguments', `to: ${JSON.stringify(given.slice(0, 100))} is no name.`, {
      hint: 'Give the new name alone, such as "run", without its class.',
    });
  if (to === name) throw refused(name, to, 'that is its name');
  return to;
}

/**
 * Finds out what a rename would change, without changing it.
 *
 * @throws SynapseError `conflict` with the reason if it cannot be done completely; `unavailable` without a language server
 */
export async function foreseeRename(
  wanted: Wanted,
  given: string,
  use: RenameUse,
): Promise<{ readonly permissions: readonly Permission[]; readonly plan: RenamePlan }> {
  const { source, located } = await locateIn(wanted, use);
  const { name } = located;
  const to = newName(name, given);
  const row = serverFor(source.path, use.code.rows)?.row;
  const path = source.serverPath;
  if (row === undefined || path === undefined)
    throw new SynapseError('unavailable', `Renaming needs a language server, and none is known for ${source.path}.`, {
      hint: 'Use references to find the places, and apply_patch to change them.',
    });
  const asked = { source, located, row };
  const mentions = await mentionsOf(asked, MAX_MENTIONS, use);
  if (mentions.left > 0) throw refused(name, to, `more than ${MAX_MENTIONS.toLocaleString('en')} files have that name`);
  if (!mentions.isWhole) throw refused(name, to, 'the search for files that name it did not end in time');
  const signal = AbortSignal.any([use.signal, AbortSignal.timeout(RENAME_MS)]);
  const renaming: Renaming = {
    ...asked,
    to,
    mentions,
    use,
    isC: await headersInC(
      [source, ...mentions.files].map((file) => file.path),
      row,
      use,
    ),
  };
  try {
    const paths = [path, ...mentions.files.flatMap((file) => file.serverPath ?? [])];
    const { answer, origin } = await use.code.converse(row, paths, (session) => converse(session, path, renaming), signal);
    if (answer.problem !== undefined) throw refused(name, to, answer.problem);
    const { untouched, related, fitting, declared } = await readUntouched([source, ...mentions.files], answer.files, located);
    const declaredAlso = headerLeftOut(name, untouched, answer.files, mentions.files, row);
    if (declaredAlso.length > 0)
      throw refused(name, to, `the server leaves out its declaration at ${named(declaredAlso)}, which an edited file includes`);
    if (related.length > 0) throw refused(name, to, `the server leaves out what overrides it: ${named(related)}`);
    const { search, workspace } = use;
    const elsewhere = declared === undefined ? { untouched: [], notes: [] } : await namedElsewhere(declared, row, { search, workspace, signal });
    const files = answer.files.toSorted((a, b) => (a.source.path < b.source.path ? -1 : 1));
    const permissions = files.flatMap(({ source: { path: resource } }): Permission[] => [
      { action: 'read', resource },
      { action: 'write', resource },
    ]);
    const notes = [...notesOf(origin, untouched), ...fittingNote(fitting, row), ...elsewhere.notes, ...answer.notes];
    return { permissions, plan: new RenamePlan({ name, to, files, untouched: [...untouched, ...elsewhere.untouched], notes }) };
  } catch (error) {
    if (signal.aborted && !use.signal.aborted) {
      throw new SynapseError('unavailable', `The language server of ${row.name} did not answer within ${RENAME_MS / 1000} s; nothing was changed.`, {
        hint: 'Repeat the call: it may be ready then.',
      });
    }
    throw error;
  }
}
