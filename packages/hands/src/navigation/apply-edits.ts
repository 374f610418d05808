import { SynapseError } from '@synapse/protocol';
import { assertEditableSize, spliceBytes } from '../edit/text-file.ts';
import { contentVersion } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { shownLine } from './find-declarations.ts';
import type { FoundPlace } from './navigation-use.ts';
import type { EditedFile } from './edited-file.ts';
import { lineAt, lineStarts } from './line-starts.ts';
import { linesOf } from './source.ts';

/** A file as it is to be. */
export type NewTextOf = Pick<EditedFile, 'source' | 'replacements' | 'newText'>;

/** Changes all files at once, or none. @param what for an error. @throws SynapseError `conflict` if a file is not as it was */
export async function applyEdits(files: readonly NewTextOf[], what: string, workspace: Workspace): Promise<FoundPlace[]> {
  const paths = files.map(({ source }) => source.path);
  return await workspace.change(paths, async (scope) => {
    for (const { source, replacements } of files) {
      const { path, text, encoding, version } = source;
      const file = scope.openReadable(path);
      const bytes = file === undefined ? undefined : await file.read(0, file.size);
      if (bytes === undefined || contentVersion(bytes) !== version) {
        throw new SynapseError('conflict', `${path} was changed while ${what}; nothing was changed.`, {
          hint: 'Repeat the call: it looks at the files again.',
          retryable: true,
        });
      }
      const changed = spliceBytes(bytes, text, encoding, replacements);
      assertEditableSize(path, changed.length, true);
      scope.write(path, changed);
    }
    return files.flatMap(({ source, replacements, newText }) => {
      const lines = linesOf(newText);
      const starts = lineStarts(source.text);
      return replacements.map(({ start }) => {
        const line = lineAt(starts, start);
        return { path: source.path, line, text: shownLine(lines, line) };
      });
    });
  });
}
