import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import * as fields from './fields.ts';
import { applyFilePatches, type FilePatchResult } from '../patch/apply-file-patches.ts';
import { createFileOverlay } from '../patch/file-overlay.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { pathsOf, readsFile } from '../patch/patch.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

const LETTER: Record<FilePatchResult['action'], string> = { added: 'A', updated: 'M', deleted: 'D', moved: 'R' };

/** Maximum number of files in a patch. Each file takes a lock and two open handles while the patch is applied. */
const MAX_FILES = 500;

/** Maximum number of notes about loose matches. */
const MAX_NOTES = 5;

function shown({ path, action, from }: FilePatchResult): string {
  return `${LETTER[action]} ${from === undefined ? path : `${from} → ${path}`}`;
}

/** Rejects links: a move would replace a link with the text of another file. */
function assertNoLink(workspace: Workspace, path: string): void {
  if (workspace.describe(path).type !== 'link') return;
  throw new SynapseError('wrong_type', `${path} is a link, which a patch cannot move; nothing was changed.`, { hint: 'Use move_path for it.' });
}

export const applyPatch = defineTool({
  name: 'apply_patch',
  title: 'Apply a patch',
  description:
    'Add, change, move and delete text files by one patch: a unified diff, or the *** Begin Patch … *** End Patch form. All of it applies, or nothing.',
  effects: 'write',
  destructive: true,
  input: () =>
    z.strictObject({
      patch: z.string().describe('The whole patch; paths are relative to the workspace'),
      path: z.string().optional().describe('The file, if the patch is hunks alone'),
      then: fields.then,
    }),
  output: () =>
    z.strictObject({
      files: z.array(
        z.strictObject({
          path: z.string(),
          action: z.enum(['added', 'updated', 'deleted', 'moved']),
          /** The previous path of a moved file. */
          from: z.string().optional(),
          version: z.string().optional(),
          added_lines: z.int(),
          removed_lines: z.int(),
        }),
      ),
      then: fields.followed(),
    }),
  aliases: {
    fields: {
      input: 'patch',
      diff: 'patch',
      patch_text: 'patch',
      content: 'patch',
      unified_diff: 'patch',
      file_path: 'path',
      file: 'path',
      filename: 'path',
    },
    ignored: [...fields.remarks],
  },
  otherNames: ['patch', 'apply_diff', 'git_apply', 'applypatch'],
  permission: ({ patch, path }) =>
    parsePatch(patch, path).flatMap((file) => [
      ...(readsFile(file) ? [{ action: 'read' as const, resource: file.path }] : []),
      ...pathsOf(file).map((resource) => ({ action: 'write' as const, resource })),
    ]),
  follow: ({ then }) => (then === undefined ? undefined : fields.commandCall(then)),
  timeoutMs: 30_000,
  keep: 'head',
  summarize: (_, { files }) => `apply_patch → ${count(files.length, 'file')}`,
  async execute({ patch, path: only }, { workspace }) {
    const patches = parsePatch(patch, only).map((file) => {
      const path = workspace.display(file.path);
      return file.kind === 'update' && file.to !== undefined ? { ...file, path, to: workspace.display(file.to) } : { ...file, path };
    });
    const paths = [...new Set(patches.flatMap(pathsOf))];
    const readPaths = new Set(patches.filter(readsFile).map(({ path }) => path));
    if (paths.length > MAX_FILES) {
      throw new SynapseError('too_large', `The patch names ${paths.length} files; nothing was changed.`, {
        hint: `Send at most ${MAX_FILES} in one patch.`,
      });
    }
    return workspace.change(paths, async (scope) => {
      const overlay = createFileOverlay((path) => (readPaths.has(path) ? scope.openReadable(path) : scope.open(path)));
      const { results, notes } = await applyFilePatches(patches, overlay);
      for (const { action, from } of results) if (action === 'moved' && from !== undefined) assertNoLink(workspace, from);
      for (const [path, content] of overlay.changes()) {
        if (content === undefined) scope.delete(path);
        else scope.write(path, content.bytes, content.mode);
      }
      const note = notes.slice(0, MAX_NOTES).join(' ');
      return { data: { files: [...results] }, content: results.map(shown).join('\n'), ...(note === '' ? {} : { note }) };
    });
  },
});
