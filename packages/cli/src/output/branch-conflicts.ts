import type { ShownBranch, ShownConflict, ShownEffect } from '@synapse/hands';
import { describeConflict, quoteWord } from '@synapse/hands/internal';
import type { Output } from './output.ts';

/** Tells which files get what both sides changed, and which stay in the branch because both changed the same. @param name the branch, to say how to resolve them */
export function tellConflicts(to: Output, { merged = [], conflicts = [] }: ShownEffect & Partial<ShownBranch>, name?: string): void {
  for (const path of merged) to.write(`Merged: ${path} gets the lines of both sides.\n`, 'dim');
  for (const conflict of conflicts) to.write(`Conflict: ${describeConflict(conflict)}\n`, 'yellow');
  const [first] = conflicts;
  if (first === undefined || name === undefined) return;
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
