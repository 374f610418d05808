import { isSynapseError } from '@synapse/protocol';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EDIT_CLASSES } from '../testing/edit-classes/all-classes.ts';
import { generatedEdits } from '../testing/edit-classes/generated-edits.ts';
import { otherEdit } from '../testing/edit-classes/other-edits.ts';
import { runAttempt } from '../testing/edit-classes/run-attempt.ts';
import { hasHistory, realEdits, type RealEdit } from '../testing/real-edits.ts';

/** This repository, and other local ones: paths separated by colons. */
const HERE = fileURLToPath(new URL('../../../..', import.meta.url));
const REPOSITORIES = [HERE, ...(process.env['SYNAPSE_TEST_REPOSITORIES'] ?? '').split(':').filter((path) => path !== '')];
/** Commits of this repository up to this one, so that a new commit does not change what is tried. */
const FROM = '73ffdbce558717ecb70db23e00a301e7b933fec2';
const startOf = (folder: string): string => (folder === HERE ? FROM : 'HEAD');
const EDITS = Number(process.env['SYNAPSE_TEST_EDITS'] ?? 24);

interface Rates {
  right: number;
  refused: number;
  readonly wrong: string[];
}

/** A refusal is a typed error with words of what to do; anything else is a defect. */
async function outcome(work: () => string | Promise<string>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    expect(error.hint).not.toBe('');
    return undefined;
  }
}

function firstDifference(text: readonly string[], right: readonly string[]): string {
  const at = text.findIndex((line, index) => line !== right[index]);
  return `line ${at + 1}: ${JSON.stringify(text.slice(at, at + 4))} instead of ${JSON.stringify(right.slice(at, at + 4))}`;
}

function note(rates: Rates, text: string | undefined, right: readonly string[], shown: string): void {
  if (text === undefined) rates.refused += 1;
  else if (right.includes(text)) rates.right += 1;
  else rates.wrong.push(`${shown.slice(0, 1_500)}\n${firstDifference(text.split('\n'), right[0]?.split('\n') ?? [])}`);
}

/** More or less context, the same for everyone who runs this. */
const context = (index: number): number => [3, 1, 2, 0][index % 4] ?? 3;

const SOURCES: ReadonlyArray<readonly [name: string, edits: () => RealEdit[]]> = [
  ['generated files', () => generatedEdits(Number(process.env['SYNAPSE_TEST_SEEDS'] ?? 25))],
  ...REPOSITORIES.map(
    (folder, index) =>
      [index === 0 ? 'this repository' : `repository ${index + 1}`, () => realEdits(folder, EDITS, context, startOf(folder))] as const,
  ),
];

describe.each(SOURCES)('mutated edits of %s', (name, load) => {
  const folder = REPOSITORIES[SOURCES.findIndex(([other]) => other === name) - 1];
  // A tarball or a shallow clone has no history to take edits from.
  const missing = folder !== undefined && !hasHistory(folder, startOf(folder));

  it.skipIf(missing)('land right, or are refused', { timeout: 300_000 }, async () => {
    const edits = load();
    expect(edits.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const editClass of EDIT_CLASSES) {
      const { name: row, outcome: expected } = editClass;
      const rates: Rates = { right: 0, refused: 0, wrong: [] };
      for (const [index, edit] of edits.entries()) {
        const one = editClass.attempt(edit, index);
        if (one === undefined || otherEdit(one, edit) !== undefined) continue;
        const shown = JSON.stringify('edits' in one.made ? one.made.edits : one.made.patch);
        note(rates, await outcome(() => runAttempt(edit.path, one)), one.right, shown);
      }
      console.log(`${row}: ${rates.right} right, ${rates.refused} refused, ${rates.wrong.length} wrong`);
      wrong.push(...rates.wrong.map((text) => `${row}: ${text}`));
      if (expected === 'right') expect.soft(rates, row).toMatchObject({ refused: 0 });
      if (expected === 'refused') expect.soft(rates, row).toMatchObject({ right: 0 });
    }
    expect(wrong).toEqual([]);
  });
});
