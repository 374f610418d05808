import { type Permission, SynapseError } from '@synapse/protocol';
import { spliceText } from '../edit/text-file.ts';
import { count } from '../text/amounts.ts';
import type { NewTextOf } from './apply-edits.ts';
import { named } from './check-rename.ts';
import { findStructures, type WantedStructure } from './find-structures.ts';
import type { NavigationUse } from './navigation-use.ts';
import { whyNotOurs } from './not-ours.ts';
import { syntaxOf } from './source.ts';

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

/** Whether a text that was code before is none after its change. */
async function breaks({ source, newText }: NewTextOf): Promise<boolean> {
  using after = await syntaxOf({ path: source.path, text: newText });
  if (after?.hasError !== true) return false;
  using before = await syntaxOf(source);
  return before?.hasError === false;
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
  let inner = 0;
  for (const { source, matches, inner: here } of found.files) {
    if (whyNotOurs(source) !== undefined) continue;
    inner += here;
    const replacements = matches
      .map(({ start, end, text = '' }) => ({ start, end, text }))
      .filter(({ start, end, text }) => source.text.slice(start, end) !== text);
    if (replacements.length === 0) continue;
    const edited: NewTextOf = { source, replacements, newText: spliceText(source.text, replacements) };
    if (await breaks(edited)) throw refused(`${source.path} would have a syntax error`, 'Check the replacement, or use apply_patch.');
    files.push(edited);
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
  return { permissions, plan: new ReplacePlan({ files, notes: [...again, ...found.notes, ...left] }) };
}
