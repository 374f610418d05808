import { type Permission, SynapseError } from '@synapse/protocol';
import { spliceText } from '../edit/text-file.ts';
import type { Filling } from '../structure/messages.ts';
import type { SyntaxFile } from '../syntax/syntax-file.ts';
import { count } from '../text/amounts.ts';
import type { NewTextOf } from './apply-edits.ts';
import { named } from './check-rename.ts';
import { shownLine } from './find-declarations.ts';
import { findStructures, type WantedStructure } from './find-structures.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import type { NavigationUse } from './navigation-use.ts';
import { whyNotOurs } from './not-ours.ts';
import { linesOf, syntaxOf } from './source.ts';

/** A replacement that was found to be possible, and is not done yet. */
export class ReplacePlan {
  readonly files: readonly NewTextOf[];
  readonly notes: readonly string[];

  constructor({ files, notes }: Pick<ReplacePlan, 'files' | 'notes'>) {
    this.files = files;
    this.notes = notes;
  }
}

const refused = (why: string, hint: string): SynapseError => new SynapseError('conflict', `Nothing was replaced: ${why}.`, { hint });

/** What a match becomes. */
interface Replaced {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Places in the text. */
  readonly parts: Filling['parts'];
}

/** A replacement may read as other code beside what stays, or a part beside what is new: `$A * $B` with `a + b`. */
function brokenPiece(
  after: SyntaxFile,
  newText: string,
  replacements: readonly Replaced[],
): { readonly piece: string; readonly at: number } | undefined {
  let shift = 0;
  for (const { start: old, end: oldEnd, text, parts } of replacements) {
    const start = old + shift;
    shift += text.length - (oldEnd - old);
    const [from, to] = [start + text.length - text.trimStart().length, start + text.trimEnd().length];
    // A comment before a statement is beside the whole of it, with its semicolon.
    const isPiece = from >= to || [to, ...(newText[to] === ';' ? [to + 1] : [])].some((end) => after.isPiece(from, end) !== undefined);
    if (!isPiece) return { piece: newText.slice(from, to), at: from };
    const part = parts.find((one) => one.start < one.end && after.isPiece(start + one.start, start + one.end) !== 'one');
    if (part !== undefined) return { piece: newText.slice(start + part.start, start + part.end), at: start + part.start };
  }
  return undefined;
}

/** Refuses a change after which a file is no code any more, or other code than was asked for. */
async function assertSame({ source, newText }: NewTextOf, replacements: readonly Replaced[]): Promise<void> {
  using after = await syntaxOf({ path: source.path, text: newText });
  if (after?.hasError === true) {
    using before = await syntaxOf(source);
    if (before?.hasError === false) throw refused(`${source.path} would have a syntax error`, 'Check the replacement, or use apply_patch.');
    return;
  }
  const broken = after && brokenPiece(after, newText, replacements);
  if (broken === undefined) return;
  const line = shownLine(linesOf(newText), lineAt(lineStarts(newText), broken.at));
  throw refused(
    `${source.path} would have ${JSON.stringify(line)}, where ${JSON.stringify(broken.piece.slice(0, 60))} is not one piece`,
    'Put brackets around it in "to", such as ($X), or leave out a semicolon at the end.',
  );
}

/**
 * Finds out what a replacement would change, without changing it.
 *
 * @throws SynapseError `no_match` if nothing matches, `conflict` if a file would be no code any more
 */
export async function foreseeReplace(
  wanted: WantedStructure,
  use: NavigationUse,
): Promise<{ readonly permissions: readonly Permission[]; readonly plan: ReplacePlan }> {
  const found = await findStructures(wanted, use);
  if (!found.isWhole) throw refused(found.notes.join('; '), 'Narrow the path: all that matches is replaced, or nothing.');
  const notOurs = found.files.filter(({ source }) => whyNotOurs(source) !== undefined).map(({ source }) => source.path);
  const files: NewTextOf[] = [];
  const withComments: string[] = [];
  let [inner, comments] = [0, 0];
  for (const { source, matches, inner: here } of found.files) {
    if (whyNotOurs(source) !== undefined) continue;
    inner += here;
    const replacements = matches
      .flatMap(({ start, end, filled }) => (filled === undefined ? [] : [{ start, end, ...filled }]))
      .filter(({ start, end, text }) => source.text.slice(start, end) !== text);
    if (replacements.length === 0) continue;
    const edited: NewTextOf = { source, replacements, newText: spliceText(source.text, replacements) };
    await assertSame(edited, replacements);
    files.push(edited);
    comments += replacements.reduce((sum, { lostComments }) => sum + lostComments, 0);
    if (replacements.some(({ lostComments }) => lostComments > 0)) withComments.push(source.path);
  }
  if (files.length === 0)
    throw new SynapseError(
      'no_match',
      `Nothing to replace${notOurs.length === 0 ? '' : ` outside ${named(notOurs)}, which is generated or installed`}.`,
      {
        hint: found.files.length === 0 ? `Looked ${found.notes.join('; ')}.` : 'See what matches with action "match".',
      },
    );
  const permissions = files.flatMap(({ source: { path: resource } }): Permission[] => [
    { action: 'read', resource },
    { action: 'write', resource },
  ]);
  const left = notOurs.length === 0 ? [] : [`left as they are, as generated or installed: ${count(notOurs.length, 'file')}, ${named(notOurs)}`];
  const again = inner === 0 ? [] : [`${count(inner, 'match', 'matches')} inside of others left: run it again for them`];
  const lost = comments === 0 ? [] : [`${count(comments, 'comment')} in what was replaced left out: ${named(withComments)}`];
  return { permissions, plan: new ReplacePlan({ files, notes: [...lost, ...again, ...found.notes, ...left] }) };
}
