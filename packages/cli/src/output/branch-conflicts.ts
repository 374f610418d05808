import type { ShownBranch, ShownConflict, ShownEffect } from '@synapse/hands';
import { describeConflict, describeHeld, outsideHeld, quoteWord } from '@synapse/hands/internal';
import type { Output } from './output.ts';
import { visibleText } from './visible-text.ts';

/** Tells which files get what both sides changed, and which stay in the branch because both changed the same. @param name the branch, to say how to resolve them */
export function tellConflicts(
  to: Output,
  { changes, merged = [], conflicts = [], held = [] }: ShownEffect & Partial<ShownBranch>,
  name: string,
): void {
  for (const path of merged) to.write(`Merged: ${path} gets the lines of both sides.\n`, 'dim');
  for (const repository of held) {
    if (repository.isMerged) to.write(`Merged before: ${describeHeld(repository, name)}.\n`, 'dim');
    else to.write(`Conflict: ${describeHeld(repository, name)}.\n`, 'yellow');
    for (const { hash, subject } of repository.commits) to.write(`  ${hash.slice(0, 7)} ${visibleText(subject)}\n`);
    if (repository.commits.length > 0 && changes.length > 0)
      to.write(`To apply only the commits, and merge them with git: synapse branch apply ${name} ${quoteWord(repository.repository)}\n`, 'dim');
  }
  const resolvable = outsideHeld(conflicts, held);
  for (const conflict of resolvable) to.write(`Conflict: ${describeConflict(conflict)}\n`, 'yellow');
  const [first] = resolvable;
  if (first === undefined) return;
  to.write(
    `To choose a version: synapse branch resolve ${name} ${quoteWord(first.path)} --take branch, --take workspace, --places branch, or --file <merged>\n`,
    'dim',
  );
}

/** Shows the three versions of a conflict: as one text with marks, or what each of them is. */
export function tellVersions(out: Output, err: Output, { path, versions, mergeable, marked }: ShownConflict): void {
  const file = quoteWord(path);
  // For a program it is a file that is changed and given back.
  if (marked !== undefined && out.writeBytes !== undefined) out.writeBytes(Buffer.from(marked));
  else if (marked !== undefined) out.write(marked);
  for (const [name, { what }] of Object.entries(versions)) err.write(`${name}: ${what}\n`, 'dim');
  const byPlace = mergeable ? ', --places with branch, workspace or both for each mark' : '';
  const byHand = marked === undefined ? '' : `${byPlace}, or write this to a file, change that, and give it with --file`;
  err.write(`To choose a version of ${file}: --take branch, --take workspace${byHand}\n`, 'dim');
}
