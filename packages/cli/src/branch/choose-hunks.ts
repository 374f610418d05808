import type { HunkChoice, ShownEffect } from '@synapse/hands';
import { hunksIn } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { canAsk, confirm, type Asking } from '../output/confirm.ts';
import { tellDiff } from '../output/pending-changes.ts';

/** The hunks that are wanted: their numbers, or those that a person says yes to. */
type Hunks = readonly number[] | 'ask';

/** What is given to `--hunks`; undefined if it is neither numbers nor `ask`. */
export function parseHunks(given: string): Hunks | undefined {
  if (given === 'ask') return given;
  const numbers = given.split(',').map(Number);
  return numbers.every((number) => Number.isSafeInteger(number) && number >= 1) ? numbers : undefined;
}

/** Numbers the places of a difference, as `--hunks` names them. */
export function numbered<Effect extends ShownEffect>(effect: Effect): Effect {
  return {
    ...effect,
    changes: effect.changes.map((change) => {
      let number = 0;
      const { kind, diff } = change;
      if (kind !== 'changed' || diff === undefined) return change;
      return { ...change, diff: diff.replaceAll(/(?<=\n)@@ /gu, () => `[${(number += 1)}] @@ `) };
    }),
  };
}

/**
 * The hunks of one file that are applied, with what a person saw of them.
 *
 * @param effect what would be applied of the file
 * @throws SynapseError `invalid_arguments` unless there is one file, `approval_required` if there is no terminal to ask at
 */
export async function chooseHunks(
  hunks: Hunks,
  paths: readonly string[],
  { changes }: Pick<ShownEffect, 'changes'>,
  asking: Asking,
): Promise<HunkChoice | undefined> {
  const [path, ...others] = paths;
  if (path === undefined || others.length > 0)
    throw new SynapseError('invalid_arguments', 'Hunks are those of one file.', {
      hint: 'Name it: synapse branch apply <name> <path> --hunks 1,3',
    });
  const texts = hunksIn(changes.length === 1 ? (changes[0]?.diff ?? '') : '').map(({ text }) => text);
  const take = hunks === 'ask' ? await chosen(texts, asking) : hunks;
  const seen = take.flatMap((number) => texts[number - 1] ?? []);
  // What was cut off is shown before the question.
  return take.length === 0 ? undefined : { path, take, ...(seen.length === new Set(take).size ? { seen } : {}) };
}

async function chosen(texts: readonly string[], asking: Asking): Promise<number[]> {
  if (!canAsk(asking))
    throw new SynapseError('approval_required', 'There is no terminal to ask at, and nothing was applied.', {
      hint: 'Give the numbers: --hunks 1,3',
    });
  // A hunk that is not shown is requested by its number alone: the error then says why there is none.
  if (texts.length === 0) return [1];
  const take: number[] = [];
  for (const [index, text] of texts.entries()) {
    tellDiff(asking.err, text);
    if ((await confirm(`Apply hunk ${index + 1} of ${texts.length}?`, asking)) === true) take.push(index + 1);
  }
  return take;
}
