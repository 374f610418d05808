import { applyFilePatches } from '../../patch/apply-file-patches.ts';
import type { FileContent } from '../../patch/file-overlay.ts';
import { parsePatch } from '../../patch/parse-patch.ts';
import { indexLines } from '../../edit/lines.ts';
import { planEdits } from '../../edit/plan-edits.ts';
import { spliceText } from '../../edit/text-file.ts';
import type { Attempt } from './edit-class.ts';

/** Makes an edit or a patch of a file with this path, and returns the text after it. */
export async function runAttempt(path: string, { before, made }: Attempt): Promise<string> {
  if ('edits' in made) {
    const edits = made.edits.map(([old, fresh]) => ({ old_text: old, new_text: fresh, replace_all: false }));
    return spliceText(before, planEdits({ path, text: before, lines: indexLines(before), version: 'v' }, edits, undefined).replacements);
  }
  let now: FileContent = { bytes: Buffer.from(before), mode: undefined };
  const patches = parsePatch(made.patch, made.path).map((patch) => ({ ...patch, path }));
  await applyFilePatches(patches, {
    exists: () => true,
    assertExists: () => {},
    read: async () => now,
    modeOf: () => 0o644,
    write: (_, content) => void (now = content),
    remove: () => {
      throw new Error('No class removes a file');
    },
    changes: () => [],
  });
  return Buffer.from(now.bytes).toString();
}
