import { SynapseError } from '@synapse/protocol';
import { indexLines } from '../edit/lines.ts';
import { assertEditableSize, spliceBytes, spliceText, toTextFile } from '../edit/text-file.ts';
import { TIER_MEANING } from '../edit/tiers.ts';
import { encode, UTF_8 } from '../text/encoding.ts';
import { contentVersion } from '../workspace/open-file.ts';
import { chunksToReplacements, tellsLineEnds } from './chunk-replacements.ts';
import type { FileOverlay } from './file-overlay.ts';
import type { Chunk, FilePatch, PatchLine } from './patch.ts';
import { placeChunks } from './place-chunks.ts';

/** The effect of a patch on one file. */
export interface FilePatchResult {
  readonly path: string;
  readonly action: 'added' | 'updated' | 'deleted' | 'moved';
  /** The previous path of a moved file. */
  readonly from?: string;
  /** The new version; undefined for a deleted file. */
  readonly version?: string;
  readonly added_lines: number;
  readonly removed_lines: number;
}

/** The result of applying a patch. */
export interface PatchOutcome {
  readonly results: readonly FilePatchResult[];
  /** Describes parts that did not match the patch exactly. */
  readonly notes: readonly string[];
}

function linesOf(patch: FilePatch): PatchLine[] {
  return patch.kind === 'add' ? [...patch.lines] : patch.chunks.flatMap(({ lines }) => lines);
}

function count(lines: readonly PatchLine[], kind: PatchLine['kind']): number {
  return lines.filter((line) => line.kind === kind).length;
}

function taken(path: string, patchLine: number, hint: string): SynapseError {
  return new SynapseError('already_exists', `${path} exists already; nothing was changed.`, { hint, details: { path, patch_line: patchLine } });
}

/** Returns the text of a new file. Its last line has a line end unless the patch says otherwise. */
function newText(lines: readonly PatchLine[]): string {
  return lines.map(({ text, carriageReturn, noLineEnd }) => text + (noLineEnd ? '' : carriageReturn ? '\r\n' : '\n')).join('');
}

interface ChangedText {
  readonly bytes: Buffer;
  readonly text: string;
  readonly notes: readonly string[];
}

async function changeText(path: string, bytes: Uint8Array, chunks: readonly Chunk[], isExact: boolean): Promise<ChangedText> {
  const file = await toTextFile(path, bytes);
  const searched = { ...file, lines: indexLines(file.text) };
  const placed = placeChunks(searched, chunks);
  const replacements = chunksToReplacements(searched, placed, isExact);
  const text = spliceText(file.text, replacements);
  const changed = spliceBytes(file.bytes, file.text, file.encoding, replacements);
  assertEditableSize(path, changed.length, true);
  const notes = placed.flatMap(({ tier, raw, unspaced, chunk }) => {
    const hunk = `${path}: the hunk on line ${chunk.patchLine} of the patch`;
    return [
      ...(tier === 'exact' ? [] : [`${hunk} matched ${TIER_MEANING[tier]}.`]),
      ...(raw ? [`${hunk} was taken with its unchanged lines as they stand, without a space before them.`] : []),
      ...(unspaced ? [`${hunk} was taken without the space after its + and - marks.`] : []),
      ...(chunk.miscounted ? [`${hunk} has other numbers of lines than its @@ line says; it was taken as it is.`] : []),
    ];
  });
  if (text === file.text) notes.push(`${path}: the patch changes nothing there.`);
  return { bytes: changed, text, notes };
}

type FileChange = Omit<FilePatchResult, 'added_lines' | 'removed_lines'>;

function addFile({ path, patchLine, lines, mode }: Extract<FilePatch, { kind: 'add' }>, files: FileOverlay): FileChange {
  if (files.exists(path))
    throw taken(
      path,
      patchLine,
      'To change it, use *** Update File: (or its own name behind ---); to replace it, delete it in the same patch first.',
    );
  const bytes = encode(newText(lines), UTF_8);
  files.write(path, { bytes, mode });
  return { path, action: 'added', version: contentVersion(bytes) };
}

async function deleteFile(patch: Extract<FilePatch, { kind: 'delete' }>, files: FileOverlay, isExact: boolean): Promise<FileChange> {
  const { path, patchLine, chunks } = patch;
  if (chunks.length > 0) {
    const { text } = await changeText(path, (await files.read(path)).bytes, chunks, isExact);
    if (text !== '') throw notEmpty(path, patchLine);
  } else files.assertExists(path);
  files.remove(path);
  return { path, action: 'deleted' };
}

/** Changes the text of a file, or moves it, or both. */
async function updateFile(
  patch: Extract<FilePatch, { kind: 'update' }>,
  files: FileOverlay,
  isExact: boolean,
): Promise<{ readonly change: FileChange; readonly notes: readonly string[] }> {
  const { path, patchLine, to = path } = patch;
  const content = await files.read(path);
  const changed = patch.chunks.length === 0 ? undefined : await changeText(path, content.bytes, patch.chunks, isExact);
  const { bytes, notes } = changed ?? { bytes: content.bytes, notes: [] };
  const version = contentVersion(bytes);
  if (to === path) {
    files.write(path, { bytes, mode: patch.mode ?? content.mode });
    return { change: { path, action: 'updated', version }, notes };
  }
  if (files.exists(to)) throw taken(to, patchLine, 'Choose another name for the file that moves, or delete the other one in the same patch first.');
  files.write(to, { bytes, mode: patch.mode ?? files.modeOf(path) });
  files.remove(path);
  return { change: { path: to, action: 'moved', from: path, version }, notes };
}

/**
 * Applies a patch to an overlay: every place is found and every text created before the first
 * byte is written. Several parts for one file apply one after the other.
 * @param patches with paths relative to the workspace, and the same name for the same file
 * @throws SynapseError if any part does not apply
 */
export async function applyFilePatches(patches: readonly FilePatch[], files: FileOverlay): Promise<PatchOutcome> {
  const isExact = patches.some((patch) => tellsLineEnds(linesOf(patch)));
  const results = new Map<string, FilePatchResult>();
  const notes: string[] = [];
  const tell = (patch: FilePatch, change: FileChange): void => {
    const lines = linesOf(patch);
    const result = { ...change, added_lines: count(lines, 'add'), removed_lines: count(lines, 'remove') };
    const before = results.get(result.from ?? result.path);
    results.delete(result.from ?? result.path);
    results.delete(result.path);
    results.set(result.path, {
      ...result,
      action: mergedAction(before?.action, result.action),
      ...(before?.from === undefined ? {} : { from: before.from }),
      added_lines: result.added_lines + (before?.added_lines ?? 0),
      removed_lines: result.removed_lines + (before?.removed_lines ?? 0),
    });
  };
  for (const patch of patches) {
    if (patch.kind === 'add') tell(patch, addFile(patch, files));
    else if (patch.kind === 'delete') tell(patch, await deleteFile(patch, files, isExact));
    else {
      const updated = await updateFile(patch, files, isExact);
      for (const note of updated.notes) notes.push(note);
      tell(patch, updated.change);
    }
  }
  return { results: [...results.values()], notes };
}

type Action = FilePatchResult['action'];

/** Combines the actions of two parts of a patch for the same file. */
function mergedAction(before: Action | undefined, now: Action): Action {
  if (before === undefined || now === 'deleted') return now;
  if (before === 'deleted') return now === 'added' ? 'updated' : now;
  return before === 'added' || now === 'updated' ? before : now;
}

function notEmpty(path: string, patchLine: number): SynapseError {
  return new SynapseError('conflict', `${path} has lines that the patch does not remove, so it was not deleted; nothing was changed.`, {
    hint: 'Read it again. To delete a file whatever it holds, use *** Delete File: or delete_file.',
    details: { path, patch_line: patchLine },
  });
}
