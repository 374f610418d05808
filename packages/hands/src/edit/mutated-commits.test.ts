import { isSynapseError } from '@synapse/protocol';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { applyFilePatches } from '../patch/apply-file-patches.ts';
import type { FileContent } from '../patch/file-overlay.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { MUTATIONS, PATCH_MUTATIONS, type MutatedPatch } from '../testing/edit-mutations.ts';
import { hasHistory, realEdits, type RealEdit } from '../testing/real-edits.ts';
import { indexLines } from './lines.ts';
import { planEdits } from './plan-edits.ts';
import { spliceText } from './text-file.ts';

/** This repository, and other local ones: paths separated by colons. */
const HERE = fileURLToPath(new URL('../../../..', import.meta.url));
const REPOSITORIES = [HERE, ...(process.env['SYNAPSE_TEST_REPOSITORIES'] ?? '').split(':').filter((path) => path !== '')];
const EDITS = Number(process.env['SYNAPSE_TEST_EDITS'] ?? 150);

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

function edited(before: string, old: string, fresh: string): string {
  const plan = planEdits(
    { path: 'x', text: before, lines: indexLines(before), version: 'v' },
    [{ old_text: old, new_text: fresh, replace_all: false }],
    undefined,
  );
  return spliceText(before, plan.replacements);
}

async function patched({ before, patch }: MutatedPatch): Promise<string> {
  let now: FileContent = { bytes: Buffer.from(before), mode: undefined };
  await applyFilePatches(parsePatch(patch), {
    exists: () => true,
    assertExists: () => {},
    read: async () => now,
    modeOf: () => 0o644,
    write: (_, content) => void (now = content),
    remove: () => expect.unreachable(),
    changes: () => [],
  });
  return Buffer.from(now.bytes).toString();
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

/** Small files of the kinds that a history may lack: tabs, four spaces, curly quotes in prose. */
function generatedEdits(): RealEdit[] {
  return ['\t', '    ', '  '].flatMap((unit) =>
    Array.from({ length: 12 }, (_, seed) => {
      const all = Array.from({ length: 24 }, (_, line) => {
        const depth = (line * 7 + seed) % 3;
        const quote = line % 2 === 0 ? '"' : "'";
        return `${unit.repeat(depth)}step${line}_${seed}(${quote}it is ${line}${quote});`;
      });
      const line = 3 + seed;
      const old = all.slice(line, line + 3);
      const fresh = [
        old[0] ?? '',
        `${unit.repeat(seed % 4)}added(${seed % 2 === 0 ? '"new"' : "'new'"});`,
        `${old[1] ?? ''} // changed`,
        old[2] ?? '',
      ];
      const after = [...all.slice(0, line), ...fresh, ...all.slice(line + 3)];
      return { before: `${all.join('\n')}\n`, after: `${after.join('\n')}\n`, line, old, new: fresh, head: 1, tail: 1 };
    }),
  );
}

/** Whether the lines stand in the file elsewhere exactly as the mutation has them: then it is an edit of that place. */
function collides(name: string, { before, old }: RealEdit): boolean {
  const moved = old.map((line) => (line.trim() === '' ? line : `    ${line}`)).join('\n');
  return name === 'indented by four more' && before.includes(`\n${moved}\n`);
}

/** More or less context, the same for everyone who runs this. */
const context = (index: number): number => [3, 1, 2, 0][index % 4] ?? 3;

const SOURCES: ReadonlyArray<readonly [name: string, edits: () => RealEdit[]]> = [
  ['generated files', generatedEdits],
  ...REPOSITORIES.map(
    (folder, index) => [index === 0 ? 'this repository' : `repository ${index + 1}`, () => realEdits(folder, EDITS, context)] as const,
  ),
];

describe.each(SOURCES)('mutated edits of %s', (name, load) => {
  const folder = REPOSITORIES[SOURCES.findIndex(([other]) => other === name) - 1];
  // A tarball or a shallow clone has no history to take edits from.
  const missing = folder !== undefined && !hasHistory(folder);

  it.skipIf(missing)('land right, or are refused', { timeout: 300_000 }, async () => {
    const edits = load();
    expect(edits.length).toBeGreaterThan(20);
    const rows: Array<readonly [name: string, Rates]> = [];
    for (const [name, mutate] of Object.entries(MUTATIONS)) {
      const rates: Rates = { right: 0, refused: 0, wrong: [] };
      for (const [index, edit] of edits.entries()) {
        const mutated = mutate(edit, index);
        if (mutated === undefined || mutated.old === mutated.new) continue;
        const { before, old, new: fresh, right } = mutated;
        // What stands in the file exactly as it was changed is another edit, of that place.
        if (!old.startsWith(edit.old.join('\n')) && `\n${before}`.includes(`\n${old}\n`)) continue;
        // One line without its indentation is a part of the line as it stands: then the new text is literal as well.
        if (edit.old.length === 1 && edit.old[0] !== old && edit.old[0]?.trim() === old) continue;
        note(rates, await outcome(() => edited(before, old, fresh)), right, `${JSON.stringify(old)} -> ${JSON.stringify(fresh)}`);
      }
      rows.push([name, rates]);
    }
    for (const [name, mutate] of Object.entries(PATCH_MUTATIONS)) {
      const rates: Rates = { right: 0, refused: 0, wrong: [] };
      for (const edit of edits) {
        const mutated = mutate(edit);
        if (mutated !== undefined && !collides(name, edit)) note(rates, await outcome(() => patched(mutated)), [mutated.right], mutated.patch);
      }
      rows.push([`patch: ${name}`, rates]);
    }
    for (const [name, { right, refused, wrong }] of rows) console.log(`${name}: ${right} right, ${refused} refused, ${wrong.length} wrong`);
    expect(rows.flatMap(([name, { wrong }]) => wrong.map((one) => `${name}: ${one}`))).toEqual([]);
    // The control: what is exactly as in the file is not refused.
    expect(rows.find(([name]) => name === 'as it is')?.[1]).toMatchObject({ refused: 0 });
  });
});
